"""The API for machines: many documents at a time, judged in parallel and in any order."""

from fastapi import APIRouter

from leadline.judging.room.room import Refused
from leadline.web.api import REFUSALS, CurrentUser, TheSite, why_nothing
from leadline.web.assignment import assignment
from leadline.web.models import JudgmentsTaken, JudgmentTaken, Lease, LeaseIn, MachineJudgmentsIn
from leadline.web.site import Denied

router = APIRouter(prefix="/api/machine", tags=["machines"], responses=REFUSALS)


def _only_machines(who: CurrentUser) -> None:
    if who.person.kind != "machine":
        raise Denied(403, "only machines judge many documents at a time")


@router.post("/lease")
def lease(body: LeaseIn, site: TheSite, who: CurrentUser) -> Lease:
    """As many documents as asked for, or as there are: the same until they are judged or lapse."""
    _only_machines(who)
    room = site.judging.room
    with room.lock:
        pairs = room.lease(who.person.assessor, body.n)
        reason, over = ("", False) if pairs else why_nothing(site, who)
    return Lease(assignments=[assignment(site, pair) for pair in pairs], reason=reason, over=over)


@router.post("/judgments")
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
        except Refused as refused:
            code, error = refused.code, str(refused)
        made.append(JudgmentTaken(topic=each.topic, doc=each.doc, code=code, error=error))
    return JudgmentsTaken(judgments=made)
