"""The API for assessors, people or machines: what to judge, and what was judged."""

from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import StringConstraints
from starlette.concurrency import run_in_threadpool

from leadline.app.accounts import SignedIn
from leadline.app.document_cache import assignment, guidelines, text_from
from leadline.app.gold import GoldAnswer
from leadline.app.models import (
    PRINTABLE,
    AssignmentOut,
    Count,
    ErrorBody,
    FeedbackOut,
    JudgmentIn,
    JudgmentsTaken,
    JudgmentTaken,
    Lease,
    LeaseIn,
    MachineJudgmentsIn,
    Me,
    Name,
    OwnJudgment,
    OwnJudgments,
    ProjectOut,
    ReviseIn,
    SkipIn,
    TextOut,
    Turn,
)
from leadline.app.progress import pool_pairs
from leadline.app.quality import Tally
from leadline.app.room import ActionRefused
from leadline.app.site import Denied, Site, assessor, current_user, get_site
from leadline.judging.ledger import Entry
from leadline.judging.library import BEGINNINGS

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": text}
    for status, text in {
        401: "Not signed in",
        403: "Not permitted, or the CSRF token is missing",
        404: "Not found",
        408: "The request took too long",
        409: "Not possible now: see `code`",
        413: "Too large",
        421: "Wrong host name",
        422: "Invalid request",
        429: "Too many requests",
        503: "The database does not answer",
    }.items()
}

router = APIRouter(prefix="/api", tags=["assessors"], responses=REFUSALS)
TheSite = Annotated[Site, Depends(get_site)]
CurrentUser = Annotated[SignedIn, Depends(assessor)]
Anybody = Annotated[SignedIn, Depends(current_user)]
"""Groups too, which judge nothing."""


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


@router.get("/openapi.json", include_in_schema=False)
def description(request: Request, who: Anybody) -> JSONResponse:
    """What can be asked here; only for who came in."""
    return JSONResponse(request.app.openapi())


@router.get("/me")
def me(site: TheSite, who: Anybody) -> Me:
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
    made, pair = await site.run_in_threadpool(_turn_after, site, who, act)
    if pair is not None and made.assignment is None:
        # Nobody waits for one document to be made ready but who is to read it.
        await site.made_ready(site.judging.room.state.name(pair)[1])
        made.assignment = await site.run_in_threadpool(assignment, site, pair)
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
        made.feedback = feedback_to(site, answer)
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
async def text(
    site: TheSite,
    who: CurrentUser,
    topic: Annotated[Name, Query()],
    doc: Annotated[Name, Query()],
    at: Annotated[int, Query(ge=0, le=2**31 - 1)],
) -> TextOut:
    """More of the text of an assigned document that is too long to be sent at once."""
    pair = await run_in_threadpool(readable, site, who, topic, doc)
    await site.made_ready(doc)
    return await run_in_threadpool(text_from, site, pair, at)


@router.post("/tokens", status_code=201)
def make_token(site: TheSite, who: CurrentUser) -> dict[str, str]:
    """A token for your own programs. It is shown only now, and can be withdrawn."""
    made = site.accounts.token(who.person, site.token_use)
    site.audit_log.add(who.person.name, "make token", who.person.name)
    return {"token": made}


@router.post("/tokens/withdraw")
def withdraw_tokens(site: TheSite, who: CurrentUser) -> dict[str, int]:
    """None of your tokens lets anybody in any more; how many there were."""
    site.audit_log.add(who.person.name, "withdraw tokens", who.person.name)
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
        return (
            "All remaining documents are with other assessors or wait for the organiser. "
            "This page looks for more every few seconds."
        ), False
    if pool_pairs(state.session) is not None:
        return "All documents of the pool are judged.", True
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


def feedback_to(site: Site, answer: GoldAnswer) -> FeedbackOut:
    """Return what is right of a gold question, and what was said."""
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


own_router = APIRouter(prefix="/api/mine", tags=["assessors"], responses=REFUSALS)
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


@own_router.get("")
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


@own_router.get("/document")
async def document(
    site: TheSite, who: CurrentUser, topic: Annotated[Name, Query()], doc: Annotated[Name, Query()]
) -> AssignmentOut:
    """A document that you have judged, to read again."""
    pair = await run_in_threadpool(_judged, site, who.person.name, topic, doc)
    await site.made_ready(doc)
    return await run_in_threadpool(assignment, site, pair)


def _judged(site: Site, name: str, topic: str, doc: str) -> int:
    """The number of a pair that this one has judged."""
    pair = site.pair(topic, doc)
    with site.judging.room.lock:
        judged = any((act.topic, act.doc) == (topic, doc) for act in _mine(site, name))
    if not judged:
        raise ActionRefused("unknown", "you have not judged this document")
    return pair


@own_router.post("/revise")
def revise(body: ReviseIn, site: TheSite, who: CurrentUser) -> OwnJudgment:
    """Give another grade to a document that you have judged; on the disk when this answers."""
    pair = site.pair(body.topic, body.doc)
    room, name = site.judging.room, who.person.name
    # Nobody undoes it before it is read again.
    with room.lock:
        room.revise(who.person.assessor, pair, body.grade, body.note)
        here = (act for act in _mine(site, name) if (act.topic, act.doc) == (body.topic, body.doc))
        return _own(site, next(here))


machine_router = APIRouter(prefix="/api/machine", tags=["machines"], responses=REFUSALS)


def _only_machines(who: CurrentUser) -> None:
    if who.person.kind != "machine":
        raise Denied(403, "only machines judge many documents at a time")


@machine_router.post("/lease")
async def lease(body: LeaseIn, site: TheSite, who: CurrentUser) -> Lease:
    """As many documents as asked for, or as there are: the same until they are judged or lapse."""
    _only_machines(who)
    pairs, reason, over = await run_in_threadpool(_lent, site, who, body.n)
    for pair in pairs:
        await site.made_ready(site.judging.room.state.name(pair)[1])
    made = await run_in_threadpool(lambda: [assignment(site, pair) for pair in pairs])
    return Lease(assignments=made, reason=reason, over=over)


def _lent(site: Site, who: SignedIn, n: int) -> tuple[list[int], str, bool]:
    room = site.judging.room
    with room.lock:
        pairs = room.lease(who.person.assessor, n)
        return pairs, *(("", False) if pairs else why_nothing(site, who))


@machine_router.post("/judgments")
def judge_many(body: MachineJudgmentsIn, site: TheSite, who: CurrentUser) -> JudgmentsTaken:
    """Judgments of lent documents. Each is taken or refused by itself; sent twice counts once."""
    _only_machines(who)
    room, made = site.judging.room, []
    for each in body.judgments:
        code = error = ""
        try:
            pair = site.pair(each.topic, each.doc)
            source = (each.model, each.prompt, each.confidence)
            room.judge(who.person.assessor, pair, each.grade, each.note, each.seconds, source)
        except ActionRefused as refused:
            code, error = refused.code, str(refused)
        made.append(JudgmentTaken(topic=each.topic, doc=each.doc, code=code, error=error))
    return JudgmentsTaken(judgments=made)


@router.get(
    "/image",
    response_class=Response,
    responses={200: {"content": {kind: {} for kind in BEGINNINGS}, "description": "The image"}},
)
def image(
    site: TheSite, who: CurrentUser, topic: Annotated[Name, Query()], doc: Annotated[Name, Query()]
) -> Response:
    """The image of an assigned document, from the project's folder of images."""
    readable(site, who, topic, doc)
    try:
        found = site.judging.library.image(doc)
    except ValueError as error:
        raise ActionRefused("unknown", str(error)) from None
    return Response(found.data, media_type=found.kind)
