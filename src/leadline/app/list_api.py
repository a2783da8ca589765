"""The API of the list view: all documents of a topic on one page, judged in any order."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.concurrency import run_in_threadpool

from leadline.app.accounts import SignedIn
from leadline.app.assessor_api import (
    REFUSALS,
    CurrentUser,
    TheSite,
    feedback_to,
    readable,
    why_nothing,
)
from leadline.app.document_cache import assignment, guidelines, spans
from leadline.app.models import (
    AssignmentOut,
    JudgmentIn,
    Listed,
    ListRow,
    ListTopic,
    Name,
    TopicList,
)
from leadline.app.progress import by_topic, pool_pairs
from leadline.app.room import ActionRefused, Assessor
from leadline.app.site import Denied, Site
from leadline.judging.ledger import Entry

MOST = 100
"""Documents of a topic that an order lends for a list; a pool lends all that it has."""

BEGINNING = 700
"""Characters of a text that a list shows."""


def _no_machine(who: CurrentUser) -> SignedIn:
    if who.person.kind == "machine":
        raise Denied(403, "machines judge through /api/machine")
    return who


Person = Annotated[SignedIn, Depends(_no_machine)]
router = APIRouter(prefix="/api/list", tags=["assessors"], responses=REFUSALS)


@router.get("/topics")
def list_topics(site: TheSite, who: Person) -> list[ListTopic]:
    """Return the topics that the asker may judge, assigned ones first."""
    room, name = site.judging.room, who.person.name
    with room.lock:
        holders, counts = room.state.topics.holders, by_topic(room.state.session)
        mine = _said(site, name)
        may = [(each, holders.mine(each.topic, name)) for each in counts]
        may = [each for each in may if holders.may_have(each[0].topic, name)]
    rows = [
        ListTopic(
            topic=count.topic,
            query=site.judging.library.query(count.topic),
            pairs=count.pairs,
            mine=sum(topic == count.topic for topic, _ in mine),
            assigned=assigned,
        )
        for count, assigned in may
    ]
    return sorted(rows, key=lambda row: not row.assigned)


def _said(site: Site, who: str) -> dict[tuple[str, str], Entry]:
    """Return what somebody judged, gold questions too unless they were told what is right."""
    room = site.judging.room
    acts = [act for act in room.state.acts.get(who, []) if act.act in ("judge", "cannot tell")]
    gold = [
        each.entry
        for each in room.gold.answers.get(who, [])
        if each.act != "skip" and not each.training
    ]
    return {(act.topic, act.doc): act for act in acts + gold}


@router.post("")
def open_list(site: TheSite, who: Person, topic: Annotated[Name, Query()]) -> TopicList:
    """Lend the asker the documents of a topic; those that the asker judged come too."""
    room, library = site.judging.room, site.judging.library
    assessor = who.person.assessor
    with room.together():
        lent = [room.state.name(pair)[1] for pair in _lend(site, assessor, topic)]
        said = {doc: act for (at, doc), act in _said(site, assessor.name).items() if at == topic}
        reason = "" if lent or said else why_nothing(site, who)[0]
    words = library.texts.topics.get(topic, ("", ""))
    rows = [_row(site, topic, doc, said.get(doc)) for doc in sorted({*lent, *said})]
    return TopicList(
        topic=topic,
        query=words[0],
        description=words[1],
        guidelines=guidelines(site, topic),
        rows=rows,
        reason=reason,
    )


def _lend(site: Site, assessor: Assessor, topic: str) -> list[int]:
    """Lend all documents of a topic, gold questions too; an ActionRefused if that cannot be."""
    room = site.judging.room
    if topic not in room.state.session.runs.pairs.topics:
        raise ActionRefused("unknown", f"no run returns anything for topic {topic}")
    if not room.state.topics.holders.may_have(topic, assessor.name):
        raise ActionRefused("not yours", f"topic {topic} is assigned to other people")
    if room.is_training(assessor):
        raise ActionRefused("training", "answer the training questions first (page Judge)")
    pool = pool_pairs(room.state.session)
    return room.lend_topic(assessor, topic, MOST if pool is None else len(pool))


def _row(site: Site, topic: str, doc: str, act: Entry | None) -> ListRow:
    library = site.judging.library
    terms = library.texts.terms(topic)
    # A long document is read when it is opened.
    shown = site.prepared.document(doc) if library.is_quick(doc) else None
    text = "" if shown is None else shown.text[:BEGINNING]
    title = "" if shown is None else shown.title
    return ListRow(
        doc=doc,
        title=title,
        text=text,
        title_spans=spans(title, terms),
        spans=spans(text, terms),
        more=shown is None or len(shown.text) > len(text) or shown.image or bool(shown.fields),
        found=shown is None or shown.found,
        judged=act is not None,
        grade=None if act is None else act.grade,
    )


def _opened(site: Site, who: SignedIn, topic: str, doc: str) -> int:
    """Return the number of a pair of a list, which is opened again after a restart."""
    pair, room, assessor = site.pair(topic, doc), site.judging.room, who.person.assessor
    with room.together():
        held = room.state.leases.holder(pair, assessor.name) is not None
        if not held and (topic, doc) not in _said(site, assessor.name):
            _lend(site, assessor, topic)
        return readable(site, who, topic, doc)


@router.get("/document")
async def list_document(
    site: TheSite, who: Person, topic: Annotated[Name, Query()], doc: Annotated[Name, Query()]
) -> AssignmentOut:
    """Return one document of a list as a whole."""
    pair = await run_in_threadpool(_opened, site, who, topic, doc)
    await site.made_ready(doc)
    return await run_in_threadpool(assignment, site, pair)


@router.post("/judgments")
def judge_in_list(body: JudgmentIn, site: TheSite, who: Person) -> Listed:
    """Judge a document of a list, or change its grade; on the disk before this answers."""
    room, assessor = site.judging.room, who.person.assessor
    pair = site.pair(body.topic, body.doc)
    with room.together():
        known = _said(site, assessor.name).get((body.topic, body.doc))
        answer = None
        if known is None:
            # As if the list was opened just now: after a restart, and for gold questions too, which
            # would stand out if they alone could be judged, or could not.
            if room.state.leases.holder(pair, assessor.name) is None:
                _lend(site, assessor, body.topic)
            answer = room.judge(assessor, pair, body.grade, body.note, body.seconds)
            room.lend_topic(assessor, body.topic, 0)
        else:
            gold = room.gold.said(assessor.name, body.topic, body.doc)
            if gold is not None and not room.is_untold(gold):
                raise ActionRefused("judged", "the grade of this document is decided")
            room.revise(assessor, pair, body.grade, body.note or known.note)
    feedback = None
    if answer is not None and not room.is_untold(answer):
        feedback = feedback_to(site, answer)
    return Listed(doc=body.doc, grade=body.grade, feedback=feedback)
