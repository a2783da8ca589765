"""The API for assessors, people or machines: what to judge, and what was judged."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from leadline.judging.room.gold_question import GoldAnswer
from leadline.judging.room.tally import Tally
from leadline.web.assignment import assignment, guidelines, text_from
from leadline.web.models import (
    ErrorBody,
    FeedbackOut,
    JudgmentIn,
    Me,
    Name,
    ProjectOut,
    SkipIn,
    TextOut,
    Turn,
)
from leadline.web.person import SignedIn
from leadline.web.site import Denied, Site, current_user, get_site

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": text}
    for status, text in {
        401: "Nobody we know",
        403: "No right to it, or no token against forgery",
        404: "No such thing",
        408: "Not sent in time",
        409: "Not now: see `code`",
        413: "Too large",
        421: "Not a name of this server",
        422: "Not understood",
        429: "Too many requests",
        503: "The database does not answer",
    }.items()
}

router = APIRouter(prefix="/api", tags=["assessors"], responses=REFUSALS)
TheSite = Annotated[Site, Depends(get_site)]
CurrentUser = Annotated[SignedIn, Depends(current_user)]


@router.get("/project")
def project(site: TheSite, who: CurrentUser) -> ProjectOut:
    """What is judged here, the scale and the guidelines."""
    settings = site.judging.project
    session = site.judging.room.state.session
    return ProjectOut(
        title=settings.title,
        grades=list(settings.grades),
        guidelines=guidelines(site, ""),
        order=str(session.order),
        stop="" if session.stop is None else str(session.stop),
        measure=str(session.weigher),
        assessors_per_document=settings.assessors_per_document,
        merge=settings.merge,
        blind=settings.blind,
        accounts=not site.owner,
        topics=len(session.runs.pairs.topics),
        runs=len(session.runs.names),
    )


@router.get("/me")
def me(site: TheSite, who: CurrentUser) -> Me:
    """Who is asking, what they have done, and the token that every change must carry."""
    return _me(site, who)


def _me(site: Site, who: SignedIn) -> Me:
    room = site.judging.room
    tally = room.state.tallies.get(who.person.name) or Tally(who.person.name)
    # Counts that stand still would tell which document was a gold question.
    untold = Counter(each.act for each in room.untold(who.person.name))
    return Me(
        name=who.person.name,
        role=who.person.role,
        kind=who.person.kind,
        csrf=who.csrf,
        judged=tally.judged + untold["judge"],
        cannot_tell=tally.cannot_tell + untold["cannot tell"],
        skipped=tally.skipped + untold["skip"],
        per_hour=tally.per_hour,
    )


# What is asked at every document goes to a thread once, and comes back as it is sent. Of a plain
# function the answer is checked in another thread.


@router.post("/next", response_model=Turn)
async def next_document(site: TheSite, who: CurrentUser) -> Response:
    """The document to judge now: the same until it is judged, skipped or lapses."""
    return await _answered(site, who, lambda: None)


async def _answered(site: Site, who: SignedIn, act: Callable[[], GoldAnswer | None]) -> Response:
    """The answer to an act: what comes next, with its document."""
    made, pair = await site.at_the_desk(_turn_after, site, who, act)
    if pair is not None and made.assignment is None:
        # Nobody waits for one document to be made ready but who is to read it.
        await asyncio.wrap_future(site.prepared.begin(site.judging.room.state.name(pair)[1]))
        made.assignment = await site.at_the_desk(assignment, site, pair)
    return Response(made.model_dump_json(), media_type="application/json")


def _turn_after(
    site: Site, who: SignedIn, act: Callable[[], GoldAnswer | None]
) -> tuple[Turn, int | None]:
    """An act and what comes next, written together; a document that takes long is left out."""
    room = site.judging.room
    with room.together():
        answer = act()
        pair = room.next(who.person.assessor)
        made = _turn(site, who, pair)
    if answer is not None and not room.is_untold(answer):
        made.feedback = _feedback(site, answer)
    if pair is not None and site.judging.library.is_quick(room.state.name(pair)[1]):
        made.assignment = assignment(site, pair)
    return made, pair


def _turn(site: Site, who: SignedIn, pair: int | None) -> Turn:
    room = site.judging.room
    state, training = room.state, False
    reason, over = ("", False) if pair is not None else why_nothing(site, who)
    if pair is not None:
        asked = room.gold.questions.get(state.name(pair))
        training = asked is not None and asked.training and room.is_gold(who.person.assessor, pair)
    me = _me(site, who)
    # Judgments, not pairs: a pair that several judge would change the number now and then.
    people = (each for each in state.tallies.values() if each.kind == "person")
    others = sum(t.judged + t.cannot_tell for t in people if t.who != me.name)
    mine = me.judged + me.cannot_tell
    return Turn(
        assignment=None,
        reason=reason,
        over=over,
        me=me,
        judged=len(state.session.judged.given) + others + mine,
        to_go=site.snapshots.to_go_for(state, me.name, mine),
        training=training,
        message=site.messages.current(),
    )


def readable(site: Site, who: SignedIn, topic: str, doc: str) -> int:
    """The number of a pair that this one may read: assigned to them or judged by them, or any."""
    pair = site.pair(topic, doc)
    with site.judging.room.lock:
        room = site.judging.room
        mine = room.state.leases.holder(pair, who.person.name) is not None
        judged = who.person.name in room.state.votes.of(pair)
        asked = room.is_gold(who.person.assessor, pair)
    if not (mine or judged or asked) and who.person.role != "organiser":
        raise Denied(403, "this document is not yours to read")
    return pair


@router.get("/text")
def text(
    site: TheSite,
    who: CurrentUser,
    topic: Annotated[Name, Query()],
    doc: Annotated[Name, Query()],
    at: Annotated[int, Query(ge=0, le=2**31 - 1)],
) -> TextOut:
    """More of the text of an assigned document that is too long to be sent at once."""
    return text_from(site, readable(site, who, topic, doc), at)


@router.post("/tokens", status_code=201)
def make_token(site: TheSite, who: CurrentUser) -> dict[str, str]:
    """A token for your own programs. It is shown only now, and can be withdrawn."""
    made = site.accounts.token(who.person, site.token_use)
    site.deeds.add(who.person.name, "make token", who.person.name)
    return {"token": made}


@router.post("/tokens/withdraw")
def withdraw_tokens(site: TheSite, who: CurrentUser) -> dict[str, int]:
    """None of your tokens lets anybody in any more; how many there were."""
    site.deeds.add(who.person.name, "withdraw tokens", who.person.name)
    return {"withdrawn": site.accounts.withdraw(who.person.name)}


def why_nothing(site: Site, who: SignedIn) -> tuple[str, bool]:
    """Why there is nothing for this one now, and whether it is over for all."""
    state = site.judging.room.state
    if state.ended is not None:
        return f"Judging was ended by {state.ended.who}.", True
    reason = state.session.reason()
    if reason is not None:
        return f"Enough was judged: {reason}.", True
    if state.rules.apart(who.person.kind):
        return "There is nothing that you have not judged.", True
    if state.session.out:
        return "Everything worth judging is with others now. There may be more soon.", False
    return f"{state.session.exhausted()}.", True


@router.post("/judgments", response_model=Turn)
async def judge(body: JudgmentIn, site: TheSite, who: CurrentUser) -> Response:
    """Judge the assigned document. It is on the disk before this answers; next comes with it.

    Sent again because the answer was lost, it counts once.
    """

    def act() -> GoldAnswer | None:
        pair = site.pair(body.topic, body.doc)
        assessor = who.person.assessor
        return site.judging.room.judge(assessor, pair, body.grade, body.note, body.seconds)

    return await _answered(site, who, act)


def _feedback(site: Site, answer: GoldAnswer) -> FeedbackOut:
    asked = site.judging.room.gold.questions.get((answer.topic, answer.doc))
    return FeedbackOut(
        topic=answer.topic,
        doc=answer.doc,
        said=answer.said,
        grade=answer.grade,
        why="" if asked is None else asked.why,
    )


@router.post("/skips", response_model=Turn)
async def skip(body: SkipIn, site: TheSite, who: CurrentUser) -> Response:
    """Put the assigned document off: others may get it, and you when nothing else is left."""

    def act() -> None:
        pair = site.pair(body.topic, body.doc)
        site.judging.room.skip(who.person.assessor, pair, body.note)

    return await _answered(site, who, act)


@router.post("/undo", response_model=Turn)
async def undo(site: TheSite, who: CurrentUser) -> Response:
    """Take back your last judgment or skip; that document comes next."""

    def act() -> None:
        site.judging.room.undo(who.person.assessor)

    return await _answered(site, who, act)
