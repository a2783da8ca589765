"""The API for organisers: where it stands, people, topics, gold, disputes, settings, the end."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from leadline.api.merge import merge
from leadline.app.accounts import SignedIn, check_name
from leadline.app.assessor_api import REFUSALS, TheSite
from leadline.app.document_cache import assignment
from leadline.app.exchange import Form, Import, export, read_judgments
from leadline.app.gold import GoldQuestion
from leadline.app.models import (
    AdjudicationIn,
    AssignIn,
    AssignmentOut,
    BalanceIn,
    Count,
    DisputeOut,
    DisputesOut,
    EndIn,
    GoldIn,
    GoldOut,
    GoldsIn,
    GuidelinesIn,
    GuidelinesOut,
    Imported,
    MessageIn,
    Name,
    NumberIn,
    PersonName,
    ScaleIn,
    SettingOut,
    SettingsIn,
    TopicOut,
    Which,
)
from leadline.app.opening import FORM
from leadline.app.places import balanced
from leadline.app.progress import by_topic, pool_pairs
from leadline.app.quality import Quality, hours_csv
from leadline.app.room import ActionRefused
from leadline.app.site import Denied, Site, organiser
from leadline.app.snapshot import gold_rows, stream, vote_rows
from leadline.app.sql_ledger import AuditLogEntry, Message
from leadline.io.problems import InputError
from leadline.io.trec import qrels_text
from leadline.judging.certificate import two_run_certificate
from leadline.judging.ledger import in_force
from leadline.judging.merge import Rule, by_machine, merged
from leadline.judging.project import ABOUT, Grade
from leadline.judging.stops import non_inferior

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
async def document(
    site: TheSite, who: Organiser, topic: Annotated[Name, Query()], doc: Annotated[Name, Query()]
) -> AssignmentOut:
    """One document, to look at before adjudicating."""
    pair = await run_in_threadpool(site.pair, topic, doc)
    await site.made_ready(doc)
    return await run_in_threadpool(assignment, site, pair)


@router.post("/adjudications")
def adjudicate(body: AdjudicationIn, site: TheSite, who: Organiser) -> dict[str, Any]:
    """The grade of a document for good, whatever the assessors said."""
    pair = site.pair(body.topic, body.doc)
    site.judging.room.adjudicate(who.person.assessor, pair, body.grade, body.note)
    site.audit_log.add(who.person.name, "adjudicate", f"{body.topic} {body.doc}: {body.grade}")
    return site.snapshots.now()


@router.post("/end")
def end(body: EndIn, site: TheSite, who: Organiser) -> dict[str, Any]:
    """End judging for all, or open it again."""
    site.judging.room.end(who.person.assessor, body.ended)
    site.audit_log.add(who.person.name, "end judging" if body.ended else "open judging again")
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
    append: Annotated[bool, Query()] = False,
) -> PlainTextResponse:
    """Return judgments as qrels, csv, Label Studio's JSON, or the whole ledger.

    Qrels are those of people, merged by the project's rule or another one, or those of one machine
    alone. With `append` they follow the qrels that the project started from, in their format.
    """
    project = site.judging.project
    rules = replace(project.rules, merge=rule or project.merge)
    room = site.judging.room
    with room.lock:
        entries = list(room.ledger.entries)
    site.audit_log.add(who.person.name, "export", format)
    name = f"judgments.{ENDINGS[format]}"
    if machine is None:
        text = export(entries, format, rules, project.grades)
    else:
        labels = by_machine(entries).get(machine)
        if labels is None or format != "qrels":
            raise ActionRefused("unknown", "qrels of a machine that has judged are exported alone")
        pairs = {(topic, doc): grade for topic in labels for doc, grade in labels[topic].items()}
        text, name = qrels_text(dict(sorted(pairs.items()))), "labels.txt"
    if append:
        start = site.judging.folder / project.start_from
        if not project.start_from or format != "qrels" or machine is not None:
            raise ActionRefused("unknown", "only qrels of people follow those of start_from")
        grades: dict[str, dict[str, int]] = {}
        for (topic, doc), grade in merged(entries, rules).items():
            grades.setdefault(topic, {})[doc] = grade
        text = merge([start, grades], conflicts="last").text if grades else start.read_text("utf-8")
    return PlainTextResponse(
        text, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@router.get("/certificate", response_model=None)
def certificate(site: TheSite, who: Organiser) -> JSONResponse:
    """Return what verify-certificate needs to recompute the two-run decision."""
    room = site.judging.room
    with room.lock:
        session = room.state.session
        sample, rule = session.standing.two_runs, non_inferior(session.stop)
        if sample is None:
            raise ActionRefused("unknown", "the project's order does not sample for two runs")
        made = two_run_certificate(
            sample,
            session.runs.pairs,
            session.judged.grade,
            room.ledger.entries,
            rule.margin,
            rule.alpha,
        )
    site.audit_log.add(who.person.name, "export", "certificate")
    return JSONResponse(
        made, headers={"Content-Disposition": 'attachment; filename="certificate.json"'}
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
    site.audit_log.add(
        who.person.name, "import", f"{len(added)} judgments, {form}, number {number}"
    )
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
    site.audit_log.add(who.person.name, "undo import", str(body.number))
    return site.snapshots.now()


LOGGED_AT_A_TIME = 100


@router.get("/topics")
def topics(site: TheSite, who: Organiser) -> list[TopicOut]:
    """All topics with pairs to judge, whose they are and how far they are."""
    with site.judging.room.lock:
        state = site.judging.room.state
        held, counts = dict(state.topics.holders.by_topic), by_topic(state.session)
    return [
        TopicOut(
            topic=count.topic,
            query=site.judging.library.query(count.topic),
            people=list(held[count.topic].people) if count.topic in held else [],
            taken=count.topic in held and held[count.topic].taken,
            judged=count.judged,
            pairs=count.pairs,
            left=count.left,
        )
        for count in counts
    ]


@router.post("/topics/assign")
def assign(body: AssignIn, site: TheSite, who: Organiser) -> list[TopicOut]:
    """These topics belong to these people from now on, and nobody else gets their documents."""
    room = site.judging.room
    _check_can_judge(site, body.people)
    with room.lock:
        here = set(room.state.session.runs.pairs.topics)
    unknown = next((topic for topic in body.topics if topic not in here), None)
    if unknown is not None:
        raise ActionRefused("unknown", f"no run returns anything for topic {unknown}")

    def work() -> None:
        for topic in dict.fromkeys(body.topics):
            room.state.topics.holders.assign(topic, body.people)

    room.change_campaign(work)
    shown = ", ".join(body.topics[:20]) + (", ..." if len(body.topics) > 20 else "")
    site.audit_log.add(who.person.name, "assign", f"{shown}: {', '.join(body.people) or 'nobody'}")
    return topics(site, who)


def _check_can_judge(site: Site, names: list[str]) -> None:
    """Raise an ActionRefused if one of these cannot be given topics."""
    known = {person.name: person for person in site.accounts.everyone()}
    for name in names:
        person = known.get(name)
        if person is None or person.closed or person.kind == "machine" or person.role == "group":
            raise ActionRefused("unknown", f"there is nobody named {name} who could judge")


@router.post("/topics/balance")
def balance(body: BalanceIn, site: TheSite, who: Organiser) -> list[TopicOut]:
    """Assign topics evenly: each to as many people as judge a document, the work about equal."""
    room, people = site.judging.room, list(dict.fromkeys(body.people))
    _check_can_judge(site, people)
    per_topic = room.rules.per_pair
    if len(people) < per_topic:
        raise ActionRefused(
            "form", f"{per_topic} people judge each document: choose at least {per_topic} people"
        )

    def work() -> int:
        holders = room.state.topics.holders
        held = holders.by_topic if body.keep else {}
        left = {each.topic: each.left for each in by_topic(room.state.session)}
        load: Counter[str] = Counter()
        for topic, holding in held.items():
            load.update(dict.fromkeys(holding.people, left.get(topic, 0)))
        free = {topic: n for topic, n in left.items() if topic not in held}
        holders.assign_all(balanced(free, people, per_topic, load))
        return len(free)

    n = room.change_campaign(work)
    site.audit_log.add(who.person.name, "assign evenly", f"{n} topics: {', '.join(people)}")
    return topics(site, who)


@router.get("/gold")
def gold_questions(site: TheSite, who: Organiser) -> list[GoldOut]:
    """All gold questions, and how they were answered."""
    with site.judging.room.lock:
        return [GoldOut(**each) for each in gold_rows(site.judging.room.gold)]


@router.post("/gold")
def put_gold(body: GoldIn, site: TheSite, who: Organiser) -> list[GoldOut]:
    """Make a document a gold question. That decides its grade: nobody judges it otherwise."""
    room = site.judging.room
    pair = _to_ask(site, body.topic, body.doc)
    question = GoldQuestion(body.topic, body.doc, body.grade, body.note, body.training)
    with room.lock:
        if room.state.votes.decided.get(pair) != body.grade:
            room.adjudicate(who.person.assessor, pair, body.grade, "gold question")
        room.change_campaign(lambda: room.gold.put([question]))
    what = "training question" if body.training else "gold question"
    site.audit_log.add(who.person.name, what, f"{body.topic} {body.doc}: {body.grade}")
    return gold_questions(site, who)


@router.post("/gold/several")
def put_golds(body: GoldsIn, site: TheSite, who: Organiser) -> list[GoldOut]:
    """Make several documents gold questions, for instance those of training topics: all or none.

    A line holds topic, document, grade and the reason; qrels are understood too.
    """
    room = site.judging.room
    asked = []
    for number, line in enumerate(body.text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        # The second column of qrels says nothing.
        if len(words) == 4 and words[1] in ("0", "Q0") and words[3].isdecimal():
            del words[1]
        if len(words) < 3 or not words[2].isdecimal():
            message = f"line {number}: expected topic, document, grade, reason; found {line[:60]!r}"
            raise ActionRefused("form", message)
        try:
            pair = _to_ask(site, *words[:2])
        except ActionRefused as error:
            raise ActionRefused(error.code, f"line {number}: {error}") from None
        topic, doc, grade, *why = words
        question = GoldQuestion(topic, doc, int(grade), " ".join(why), body.training)
        asked.append((pair, question))
    unknown = next((each for _, each in asked if each.grade not in room.rules.grades), None)
    if unknown is not None:
        raise ActionRefused("grade", f"{unknown.doc}: there is no grade {unknown.grade}")

    def work() -> None:
        for pair, question in asked:
            if room.state.votes.decided.get(pair) != question.grade:
                room.adjudicate(who.person.assessor, pair, question.grade, "gold question")
        room.gold.put([question for _, question in asked])

    room.change_campaign(work)
    what = "training questions" if body.training else "gold questions"
    site.audit_log.add(who.person.name, what, f"{len(asked)} documents")
    return gold_questions(site, who)


def _to_ask(site: Site, topic: str, doc: str) -> int:
    """Return the number of a pair that can be a gold question: in the pool, if there is one."""
    pair = site.pair(topic, doc)
    with site.judging.room.lock:
        pool = pool_pairs(site.judging.room.state.session)
    if pool is not None and pair not in pool:
        raise ActionRefused("unknown", f"{doc} of topic {topic} is not in the pool")
    return pair


@router.post("/gold/remove")
def remove_gold(body: Which, site: TheSite, who: Organiser) -> list[GoldOut]:
    """Ask a gold question no more. Its grade stays decided until that is undone too."""
    room = site.judging.room
    if not room.change_campaign(lambda: room.gold.remove(body.topic, body.doc)):
        raise ActionRefused("unknown", "this is no gold question")
    site.audit_log.add(who.person.name, "remove gold question", f"{body.topic} {body.doc}")
    return gold_questions(site, who)


@router.get("/quality")
def qualities(site: TheSite, who: Organiser) -> list[Quality]:
    """How each person judges, and whoever is below a threshold."""
    return [Quality(**each) for each in site.snapshots.now()["agreement"]["people"]]


@router.get(
    "/hours",
    response_model=None,
    responses={200: {"content": {"text/csv": {}}, "description": "Hours and counts"}},
)
def hours(site: TheSite, who: Organiser) -> PlainTextResponse:
    """Hours and counts by person and day, as csv."""
    room = site.judging.room
    with room.lock:
        entries = list(room.ledger.entries)
        answers = [each for said in room.gold.answers.values() for each in said]
    headers = {"Content-Disposition": 'attachment; filename="hours.csv"'}
    return PlainTextResponse(hours_csv(entries, answers), headers=headers, media_type="text/csv")


@router.get("/messages")
def messages(site: TheSite, who: Organiser) -> list[Message]:
    """All that was told to all, the latest first."""
    return site.messages.all[::-1]


@router.post("/messages")
def send(body: MessageIn, site: TheSite, who: Organiser) -> list[Message]:
    """Tell all; everybody sees it with the next document."""
    room = site.judging.room
    room.change_campaign(lambda: site.messages.send(who.person.name, body.text))
    site.audit_log.add(who.person.name, "message", body.text)
    return messages(site, who)


@router.post("/messages/withdraw")
def withdraw_message(body: NumberIn, site: TheSite, who: Organiser) -> list[Message]:
    """Show a message no more."""
    if not site.judging.room.change_campaign(lambda: site.messages.withdraw(body.number)):
        raise ActionRefused("unknown", f"there is no message {body.number}")
    site.audit_log.add(who.person.name, "withdraw message", str(body.number))
    return messages(site, who)


@router.get("/log")
def log(
    site: TheSite, who: Organiser, before: Annotated[Count | None, Query()] = None
) -> list[AuditLogEntry]:
    """Who did what besides judging, the latest first, a hundred at a time."""
    return site.audit_log.last(LOGGED_AT_A_TIME, before)


AT_A_TIME = 50


def _dispute(site: Site, pair: int) -> DisputeOut:
    state = site.judging.room.state
    topic, doc = state.name(pair)
    return DisputeOut(
        topic=topic,
        doc=doc,
        query=site.judging.library.query(topic),
        votes=vote_rows(state.votes.of(pair).values()),
        decided=state.votes.decided.get(pair),
    )


@router.get("/disputes")
def disputes(
    site: TheSite,
    who: Organiser,
    at: Annotated[Count, Query()] = 0,
    decided: Annotated[bool, Query()] = False,
) -> DisputesOut:
    """Documents on which people differ, fifty from the given one on; or those that are decided."""
    room = site.judging.room
    with room.lock:
        votes = room.state.votes
        found = list(reversed(votes.decided)) if decided else votes.disputed()
        shown = [_dispute(site, pair) for pair in found[at : at + AT_A_TIME]]
    return DisputesOut(total=len(found), disputes=shown)


@router.post("/adjudications/undo")
def undo(body: Which, site: TheSite, who: Organiser) -> dict[str, Any]:
    """Take back what was decided of a document: what people said counts again."""
    pair = site.pair(body.topic, body.doc)
    site.judging.room.undo_adjudication(who.person.assessor, pair)
    site.audit_log.add(who.person.name, "undo adjudication", f"{body.topic} {body.doc}")
    return site.snapshots.now()


CHOICES = {"merge": list(get_args(Rule))}


@router.get("/settings")
def settings(site: TheSite, who: Organiser) -> list[SettingOut]:
    """What can be changed while the server runs; the rest is in judge.toml."""
    project = site.judging.project
    return [
        SettingOut(
            name=name,
            part=part,
            value=getattr(project, name),
            about=ABOUT[name],
            choices=CHOICES.get(name, []),
        )
        for part, names in FORM.items()
        for name in names
    ]


@router.get("/guidelines")
def guidelines(site: TheSite, who: Organiser) -> GuidelinesOut:
    """Return the guidelines for all topics."""
    try:
        site.judging.guidelines_file()
    except ValueError as error:
        return GuidelinesOut(text="", trouble=str(error))
    return GuidelinesOut(text=site.judging.library.guidelines.get("", ""))


@router.post("/guidelines")
def change_guidelines(body: GuidelinesIn, site: TheSite, who: Organiser) -> GuidelinesOut:
    """Write the guidelines for all topics; assessors see them with the next document."""
    try:
        site.judging.change_guidelines(body.text)
    except ValueError as error:
        raise ActionRefused("setting", str(error)) from None
    site.guidelines.clear()
    site.audit_log.add(who.person.name, "guidelines", f"{len(body.text):,} characters")
    return guidelines(site, who)


@router.post("/scale")
def change_scale(body: ScaleIn, site: TheSite, who: Organiser) -> list[Grade]:
    """Set the scale: names, keys and meanings of its grades. A grade that was given stays."""
    try:
        scale = tuple(Grade(each.grade, each.name, each.key, each.meaning) for each in body.grades)
        site.judging.change_scale(scale)
    except ValueError as error:
        raise ActionRefused("setting", str(error)) from None
    shown = ", ".join(f"{each.grade} {each.name}" for each in scale)
    site.audit_log.add(who.person.name, "scale", shown)
    return list(site.judging.project.grades)


@router.post("/settings")
def change(body: SettingsIn, site: TheSite, who: Organiser) -> list[SettingOut]:
    """Change settings: all of these or none. They are in judge.toml, and hold at once."""
    try:
        site.judging.change_settings(dict(body.changes))
    except ValueError as error:
        raise ActionRefused("setting", str(error)) from None
    site.guidelines.clear()
    shown = ", ".join(f"{name} = {value}" for name, value in body.changes.items())
    site.audit_log.add(who.person.name, "settings", shown)
    return settings(site, who)
