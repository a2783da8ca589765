"""The API for organisers: where it stands, people, adjudication, exchange, the end."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from leadline.files.problems import InputError
from leadline.formats.trec_qrels import qrels_text
from leadline.judging.merge import Rule, by_machine
from leadline.judging.replay import in_force
from leadline.judging.room.exchange import Form, export, read_judgments
from leadline.judging.room.intake import Import
from leadline.judging.room.room import Refused
from leadline.web.api import REFUSALS, TheSite
from leadline.web.assignment import assignment
from leadline.web.campaign_models import NumberIn
from leadline.web.events import stream
from leadline.web.models import (
    AdjudicationIn,
    AssignmentOut,
    EndIn,
    Imported,
    Name,
    PersonName,
)
from leadline.web.person import SignedIn, check_name
from leadline.web.site import Denied, Site, organiser

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
    if site.streams.total() >= MOST_STREAMS or site.streams[who.person.name] >= STREAMS_EACH:
        raise Denied(429, "too many live pages are open", 30.0)
    # A proxy that buffers answers must not hold back this one.
    headers = {"X-Accel-Buffering": "no"}
    return StreamingResponse(stream(site, who), media_type="text/event-stream", headers=headers)


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
    site.deeds.add(who.person.name, "adjudicate", f"{body.topic} {body.doc}: {body.grade}")
    return site.snapshots.now()


@router.post("/end")
def end(body: EndIn, site: TheSite, who: Organiser) -> dict[str, Any]:
    """End judging for all, or open it again."""
    site.judging.room.end(who.person.assessor, body.ended)
    site.deeds.add(who.person.name, "end judging" if body.ended else "open judging again")
    return site.snapshots.now()


MOST_STREAMS, STREAMS_EACH = 100, 10
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
    machine: Annotated[PersonName | None, Query()] = None,
) -> PlainTextResponse:
    """Judgments as qrels, csv, Label Studio's JSON, or all that happened.

    qrels are people's, merged as the room does unless another rule is named; or those of one
    machine alone, which is named then.
    """
    project = site.judging.project
    rules = replace(project.rules, merge=rule or project.merge)
    room = site.judging.room
    with room.lock:
        entries = list(room.ledger.entries)
    site.deeds.add(who.person.name, "export", format)
    name = f"judgments.{ENDINGS[format]}"
    if machine is None:
        text = export(entries, format, rules, project.grades)
    else:
        labels = by_machine(entries).get(machine)
        if labels is None or format != "qrels":
            raise Refused("unknown", "qrels of a machine that has judged are exported alone")
        pairs = {(topic, doc): grade for topic in labels for doc, grade in labels[topic].items()}
        text, name = qrels_text(dict(sorted(pairs.items()))), "labels.txt"
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _take_in(
    site: Site, who: SignedIn, form: Literal["qrels", "csv", "labelstudio"], body: bytes, name: str
) -> Imported:
    """Every row is checked before the first is written: all or none."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise InputError.of("import", "encoding", "is not in UTF-8", line) from None
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    found = read_judgments(text, form, check_name(name), now, site.judging.project.grades)
    kinds = {person.name: person.kind for person in site.accounts.everyone()}
    for entry in found:
        if kinds.get(entry.who, entry.kind) != entry.kind:
            message = f"{entry.who} is a {kinds[entry.who]} here, and no {entry.kind}"
            raise InputError.of("import", "kind", message)
    room = site.judging.room
    pairs = room.state.session.runs.pairs
    here = pairs.find([entry.topic for entry in found], [entry.doc for entry in found]) >= 0
    if found and not here.any():
        raise InputError.of("import", "elsewhere", "judges no document that these runs return")
    with room.lock:
        known = {(e.topic, e.doc, e.who) for e in in_force(room.ledger.entries)}
        added = [entry for entry in found if (entry.topic, entry.doc, entry.who) not in known]
        before = room.state.elsewhere
        number = room.add_entries(added, who.person.name, form) if added else 0
        elsewhere = room.state.elsewhere - before
    site.deeds.add(who.person.name, "import", f"{len(added)} judgments, {form}, number {number}")
    return Imported(added=len(added), elsewhere=elsewhere, number=number)


@router.post(
    "/import/file",
    openapi_extra={"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def import_file(
    request: Request,
    site: TheSite,
    who: Organiser,
    format: Annotated[Literal["qrels", "csv", "labelstudio"], Query()],
    by: Annotated[PersonName, Query()],
) -> Imported:
    """Judgments from a file, as somebody's who is not at work here: all or none."""
    return await run_in_threadpool(_take_in, site, who, format, await request.body(), by)


@router.get("/imports")
def imports(site: TheSite, who: Organiser) -> list[Import]:
    """All imports, and which of them were undone."""
    return site.judging.room.intake.all()


@router.post("/imports/undo")
def undo_import(body: NumberIn, site: TheSite, who: Organiser) -> dict[str, Any]:
    """Take back all that came with an import."""
    site.judging.room.undo_import(who.person.assessor, body.number)
    site.deeds.add(who.person.name, "undo import", str(body.number))
    return site.snapshots.now()
