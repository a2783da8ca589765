"""The API for organisers: where it stands, people, adjudication, exchange, the end."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import PlainTextResponse, StreamingResponse

from leadline.judging.merge import Rule
from leadline.judging.replay import in_force
from leadline.judging.room.exchange import Form, export, read_judgments
from leadline.web.accounts import SignedIn, check_name
from leadline.web.api import REFUSALS, TheSite
from leadline.web.assignment import assignment
from leadline.web.events import stream
from leadline.web.models import (
    AdjudicationIn,
    AssignmentOut,
    EndIn,
    Imported,
    ImportIn,
    Invited,
    Name,
    NameIn,
    PersonIn,
    PersonOut,
)
from leadline.web.site import Denied, organiser

router = APIRouter(prefix="/api", tags=["organisers"], responses=REFUSALS)
Organiser = Annotated[SignedIn, Depends(organiser)]


@router.get("/standing")
def standing(site: TheSite, who: Organiser) -> dict[str, Any]:
    """Intervals of all runs, who may overtake the leader, progress, assessors, agreement."""
    return site.snapshots.now()


@router.get(
    "/events",
    response_model=None,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events"}},
)
def events(site: TheSite, who: Organiser) -> StreamingResponse:
    """The same whenever it changes, as server-sent events named `standing`."""
    return StreamingResponse(stream(site, who), media_type="text/event-stream")


@router.get("/document")
def document(
    site: TheSite, who: Organiser, topic: Annotated[Name, Query()], doc: Annotated[Name, Query()]
) -> AssignmentOut:
    """One document, to look at before adjudicating."""
    return assignment(site, site.pair(topic, doc))


@router.post("/adjudications")
def adjudicate(body: AdjudicationIn, site: TheSite, who: Organiser) -> dict[str, Any]:
    """The grade of a document for good, whatever the assessors said."""
    pair = site.pair(body.topic, body.doc)
    site.judging.room.adjudicate(who.person.assessor, pair, body.grade, body.note)
    return site.snapshots.now()


@router.post("/end")
def end(body: EndIn, site: TheSite, who: Organiser) -> dict[str, Any]:
    """End judging for all, or open it again."""
    site.judging.room.end(who.person.assessor, body.ended)
    return site.snapshots.now()


ENDINGS = {"qrels": "txt", "csv": "csv", "labelstudio": "json", "ledger": "jsonl"}


@router.get(
    "/export",
    response_model=None,
    responses={200: {"content": {"text/plain": {}}, "description": "Judgments"}},
)
def export_all(
    site: TheSite,
    who: Organiser,
    format: Annotated[Form, Query()] = "qrels",
    rule: Annotated[Rule | None, Query()] = None,
    machines: Annotated[bool | None, Query()] = None,
) -> PlainTextResponse:
    """Judgments as qrels, csv, Label Studio's JSON, or all that happened.

    qrels are merged as the room does, unless another rule, or whether machines count, is named.
    """
    project = site.judging.project
    rules = replace(project.rules, merge=rule or project.merge)
    if machines is not None:
        rules = replace(rules, machines="count" if machines else "apart")
    room = site.judging.room
    with room.lock:
        entries = list(room.ledger.entries)
    text = export(entries, format, rules, project.grades)
    name = f"judgments.{ENDINGS[format]}"
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@router.post("/import")
def import_all(body: ImportIn, site: TheSite, who: Organiser) -> Imported:
    """Judgments from elsewhere, as somebody's who is not at work here: all or none."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    name = check_name(body.who)
    room = site.judging.room
    found = read_judgments(body.text, body.format, name, now, site.judging.project.grades)
    with room.lock:
        known = {(e.topic, e.doc, e.who) for e in in_force(room.ledger.entries)}
        added = [entry for entry in found if (entry.topic, entry.doc, entry.who) not in known]
        before = room.state.elsewhere
        room.add_entries(added)
        return Imported(added=len(added), elsewhere=room.state.elsewhere - before)


@router.get("/people")
def everyone(site: TheSite, who: Organiser) -> list[PersonOut]:
    """All who may come in."""
    return [
        PersonOut(name=each.name, role=each.role, kind=each.kind, closed=each.closed)
        for each in site.accounts.everyone()
    ]


@router.post("/people", status_code=201)
def invite(body: PersonIn, request: Request, site: TheSite, who: Organiser) -> Invited:
    """Invite a person by a link, or make a token for a machine. Either is shown only now."""
    if body.kind == "machine" and body.role == "organiser":
        raise Denied(403, "a machine can only be an assessor")
    person = site.accounts.add(body.name, body.role, body.kind)
    out = PersonOut(name=person.name, role=person.role, kind=person.kind, closed=False)
    if person.kind == "machine":
        return Invited(person=out, token=site.accounts.token(person))
    link = f"{site.address}/invitation/{site.accounts.invite(person)}"
    return Invited(person=out, link=link)


@router.post("/people/close")
def close(body: NameIn, site: TheSite, who: Organiser) -> list[PersonOut]:
    """This name may not come in any more; its judgments stay."""
    if body.name == who.person.name:
        raise Denied(403, "you cannot shut yourself out")
    site.accounts.close(body.name)
    return everyone(site, who)
