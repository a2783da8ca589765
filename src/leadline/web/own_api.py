"""One's own judgments: listed, searched, read again and changed."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import StringConstraints

from leadline.judging.ledger import Entry
from leadline.judging.room.room import Refused
from leadline.web.api import REFUSALS, CurrentUser, TheSite
from leadline.web.assignment import assignment
from leadline.web.campaign_models import Count, OwnJudgment, OwnJudgments, ReviseIn
from leadline.web.models import PRINTABLE, AssignmentOut, Name
from leadline.web.site import Site

router = APIRouter(prefix="/api/mine", tags=["assessors"], responses=REFUSALS)
Search = Annotated[str, StringConstraints(max_length=200, pattern=PRINTABLE), Query()]
AT_A_TIME = 50


def _mine(site: Site, who: str) -> list[Entry]:
    room = site.judging.room
    with room.lock:
        acts = [a for a in room.state.acts.get(who, []) if a.act in ("judge", "cannot tell")]
        # What is missing here would be a gold question.
        gold = [each.entry for each in room.untold(who) if each.act != "skip"]
    return sorted(acts + gold, key=lambda act: act.time)[::-1]


def _own(site: Site, act: Entry) -> OwnJudgment:
    return OwnJudgment(
        topic=act.topic,
        doc=act.doc,
        query=site.judging.library.query(act.topic),
        grade=act.grade,
        note=act.note,
        time=act.time,
    )


@router.get("")
def mine(
    site: TheSite, who: CurrentUser, search: Search = "", at: Annotated[Count, Query()] = 0
) -> OwnJudgments:
    """Your judgments, the latest first; those that have all the words searched for."""
    words = search.lower().split()
    names = {grade.grade: grade.name for grade in site.judging.project.grades}
    query = site.judging.library.query

    def has(act: Entry) -> bool:
        said = "cannot tell" if act.grade is None else names.get(act.grade, "")
        text = " ".join([act.topic, act.doc, query(act.topic), said, act.note]).lower()
        return all(word in text for word in words)

    found = [act for act in _mine(site, who.person.name) if has(act)]
    shown = [_own(site, act) for act in found[at : at + AT_A_TIME]]
    return OwnJudgments(total=len(found), judgments=shown)


@router.get("/document")
def document(
    site: TheSite, who: CurrentUser, topic: Annotated[Name, Query()], doc: Annotated[Name, Query()]
) -> AssignmentOut:
    """A document that you have judged, to read again."""
    pair = site.pair(topic, doc)
    room, name = site.judging.room, who.person.name
    with room.lock:
        judged = any((act.topic, act.doc) == (topic, doc) for act in _mine(site, name))
    if not judged:
        raise Refused("unknown", "you have not judged this document")
    return assignment(site, pair)


@router.post("/revise")
def revise(body: ReviseIn, site: TheSite, who: CurrentUser) -> OwnJudgment:
    """Give another grade to a document that you have judged; on the disk when this answers."""
    pair = site.pair(body.topic, body.doc)
    room, name = site.judging.room, who.person.name
    # Nobody undoes it before it is read again.
    with room.lock:
        room.revise(who.person.assessor, pair, body.grade, body.note)
        here = (act for act in _mine(site, name) if (act.topic, act.doc) == (body.topic, body.doc))
        return _own(site, next(here))
