"""The API for groups that submitted runs, and the publication of the leaderboard."""

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response

from leadline.app.accounts import SignedIn
from leadline.app.assessor_api import REFUSALS, TheSite
from leadline.app.leaderboard import QRELS
from leadline.app.models import (
    GroupOut,
    GroupRun,
    GroupTopic,
    LeaderboardOut,
    LeaderboardRow,
    PersonName,
)
from leadline.app.progress import numbers, pool_pairs
from leadline.app.room import ActionRefused
from leadline.app.site import Denied, Site, current_user, organiser, site_of
from leadline.data.arrays import Bools
from leadline.io.trec import qrels_text
from leadline.judging.merge import merged

router = APIRouter(prefix="/api", tags=["groups"], responses=REFUSALS)
Organiser = Annotated[SignedIn, Depends(organiser)]


async def group_or_organiser(request: Request) -> SignedIn:
    """Who is asking, if it is a group or an organiser."""
    found = await current_user(request)
    if found.person.role == "assessor":
        raise Denied(403, "only groups and organisers see scores")
    return found


@router.get("/group")
def group(
    site: TheSite,
    who: Annotated[SignedIn, Depends(group_or_organiser)],
    group: Annotated[PersonName | None, Query()] = None,
) -> GroupOut:
    """Return the runs of a group, what was judged of them, and their scores with bounds.

    A group sees its own; organisers name one. Of others nothing is told before publication.
    """
    name = who.person.name if who.person.role == "group" else group
    collection, room = site.judging.parts.collection, site.judging.room
    runs, pooled = collection.runs, collection.pooled
    mine = np.array([each == name for each in runs.group], np.bool_)
    if name is None:
        raise ActionRefused("unknown", "name a group, as in /group?group=NAME")
    if not mine.any():
        raise ActionRefused("unknown", f"no run is of a group named {name}")
    now = {row["run"]: row for row in site.snapshots.now()["runs"]}
    with room.lock:
        session, depths = room.state.session, list(room.state.course.depths)
        pool, judged = pool_pairs(session), numbers(session.judged.grade)
    pairs = runs.pairs
    member = np.ones(len(pairs), np.bool_)
    if pool is not None:
        member[:] = False
        member[pool] = True
    seen = np.zeros(len(pairs), np.bool_)
    seen[judged] = True
    rows = []
    for run in np.flatnonzero(mine).tolist():
        row = now[runs.names[run]]
        returned = _returned(site, run) & member
        rows.append(
            GroupRun(
                run=row["run"],
                pooled=bool(pooled[run]),
                lower=row["lower"],
                upper=row["upper"],
                topics=int((runs.length[run] > 0).sum()),
                documents=int(runs.length[run].sum()),
                to_judge=int(returned.sum()),
                judged=int((returned & seen).sum()),
                share=row["share"],
            )
        )
    project = site.judging.project
    return GroupOut(
        group=name,
        title=project.title,
        measure=str(session.weigher),
        pool=pool is not None,
        depths=depths,
        runs=sorted(rows, key=lambda row: (-row.lower, row.run)),
        topics=_topics(site, mine, member, seen),
        published=project.published,
        page=project.published and site.leaderboard.page is not None,
        leaderboard=leaderboard_rows(site) if project.published else [],
    )


def _returned(site: Site, run: int) -> Bools:
    """Return which pairs a run returns."""
    runs = site.judging.parts.collection.runs
    one = runs.only(np.array([run]))
    found = np.zeros(len(runs.pairs), np.bool_)
    found[one.pair] = True
    return found


def _topics(site: Site, mine: Bools, member: Bools, seen: Bools) -> list[GroupTopic]:
    """Return by topic how many pairs that the group returns are to be judged, and are judged."""
    runs = site.judging.parts.collection.runs
    own = np.zeros(len(runs.pairs), np.bool_)
    own[runs.only(mine).pair] = True
    n, number = len(runs.pairs.topics), runs.pairs.topic
    size = np.bincount(number[own & member], minlength=n).tolist()
    done = np.bincount(number[own & member & seen], minlength=n).tolist()
    query = site.judging.library.query
    return [
        GroupTopic(topic=topic, query=query(topic), pairs=size[at], judged=done[at])
        for at, topic in enumerate(runs.pairs.topics)
        if size[at]
    ]


def leaderboard_rows(site: Site) -> list[LeaderboardRow]:
    """Return all runs by their lower bounds, best first, and which of them are unpooled."""
    rows = sorted(site.snapshots.now()["runs"], key=lambda row: (-row["lower"], row["run"]))
    names = ("run", "group", "pooled", "lower", "upper")
    return [LeaderboardRow(**{name: row[name] for name in names}) for row in rows]


@router.get("/leaderboard")
def leaderboard(site: TheSite, who: Organiser) -> LeaderboardOut:
    """Tell whether the page of the leaderboard is there, and what is left to do before."""
    now, board = site.snapshots.now(), site.leaderboard
    flagged = [each["who"] for each in now["agreement"]["people"] if each["flags"]]
    to_judge = now["progress"]["to_judge"]
    return LeaderboardOut(
        stage=board.stage,
        trouble=board.trouble,
        published=site.judging.project.published,
        to_judge=0 if now["reason"] or to_judge is None else to_judge[1],
        disputed=now["disputed"],
        flagged=flagged,
        ended=bool(now["ended"]),
    )


@router.post("/leaderboard")
def make_leaderboard(site: TheSite, who: Organiser) -> LeaderboardOut:
    """Write the final qrels, and make the page of the leaderboard from them."""
    room, project = site.judging.room, site.judging.project
    with room.lock:
        entries = list(room.ledger.entries)
        session = room.state.session
        given = {pair: session.judged.grade[pair] for pair in session.judged.given}
    grades = {session.runs.pairs.name(pair): grade for pair, grade in given.items()}
    grades |= merged(entries, project.rules)
    qrels = qrels_text(dict(sorted(grades.items())))
    if not grades:
        raise ActionRefused("unknown", "nothing is judged yet: there are no final qrels")
    if site.leaderboard.make(project, qrels):
        site.audit_log.add(who.person.name, "make leaderboard", f"{len(grades):,} judgments")
    return leaderboard(site, who)


@router.get("/leaderboard/qrels", response_model=None)
def final_qrels(site: TheSite, who: Organiser) -> PlainTextResponse:
    """Return the final qrels from which the leaderboard was made."""
    path = site.judging.folder / QRELS
    if not path.is_file():
        raise ActionRefused("unknown", "there are no final qrels yet")
    headers = {"Content-Disposition": f'attachment; filename="{QRELS}"'}
    return PlainTextResponse(path.read_text(encoding="utf-8"), headers=headers)


page_router = APIRouter(include_in_schema=False)
ALONE = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""The page's own policy says what it may do; apart from our pages, it can ask nothing of us."""


@page_router.get("/leaderboard")
async def leaderboard_page(request: Request) -> Response:
    """The leaderboard: for organisers, and for groups once it is published."""
    site = site_of(request)
    who = await group_or_organiser(request)
    if who.person.role == "group" and not site.judging.project.published:
        raise Denied(403, "the leaderboard is not published yet")
    found = await site.run_in_threadpool(lambda: site.leaderboard.page)
    if found is None:
        raise Denied(404, "there is no leaderboard yet")
    return HTMLResponse(found, headers={"Content-Security-Policy": ALONE})
