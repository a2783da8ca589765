"""The API for organisers on many people: topics, gold questions, quality, hours."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse

from leadline.judging.room.deeds import Deed
from leadline.judging.room.gold_question import GoldQuestion
from leadline.judging.room.hours import hours_csv
from leadline.judging.room.messages import Message
from leadline.judging.room.quality import Quality
from leadline.judging.room.room import Refused
from leadline.web.api import REFUSALS, TheSite
from leadline.web.campaign_models import (
    AssignIn,
    Count,
    GoldIn,
    GoldOut,
    MessageIn,
    NumberIn,
    TopicOut,
)
from leadline.web.models import Which
from leadline.web.organiser_api import Organiser
from leadline.web.snapshot import gold_rows

router = APIRouter(prefix="/api", tags=["organisers"], responses=REFUSALS)
LOGGED_AT_A_TIME = 100


@router.get("/topics")
def topics(site: TheSite, who: Organiser) -> list[TopicOut]:
    """All topics, whose they are and how far they are."""
    with site.judging.room.lock:
        state = site.judging.room.state
        pairs, held = state.session.runs.pairs, dict(state.topics.holders.by_topic)
        judged = [0] * len(pairs.topics)
        for pair in state.session.judged.grade:
            judged[pairs.topic[pair]] += 1
    size = (pairs.topic_start[1:] - pairs.topic_start[:-1]).tolist()
    return [
        TopicOut(
            topic=topic,
            query=site.judging.library.query(topic),
            people=list(held[topic].people) if topic in held else [],
            taken=topic in held and held[topic].taken,
            judged=judged[at],
            pairs=size[at],
        )
        for at, topic in enumerate(pairs.topics)
    ]


@router.post("/topics/assign")
def assign(body: AssignIn, site: TheSite, who: Organiser) -> list[TopicOut]:
    """These topics belong to these people from now on, and nobody else gets their documents."""
    room = site.judging.room
    known = {person.name: person for person in site.accounts.everyone()}
    for name in body.people:
        if name not in known or known[name].closed or known[name].kind == "machine":
            raise Refused("unknown", f"there is nobody named {name} who could judge")
    with room.lock:
        here = set(room.state.session.runs.pairs.topics)
    unknown = next((topic for topic in body.topics if topic not in here), None)
    if unknown is not None:
        raise Refused("unknown", f"no run returns anything for topic {unknown}")

    def work() -> None:
        for topic in dict.fromkeys(body.topics):
            room.state.topics.holders.assign(topic, body.people)

    room.change_campaign(work)
    shown = ", ".join(body.topics[:20]) + (", ..." if len(body.topics) > 20 else "")
    site.deeds.add(who.person.name, "assign", f"{shown}: {', '.join(body.people) or 'nobody'}")
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
    pair = site.pair(body.topic, body.doc)
    question = GoldQuestion(body.topic, body.doc, body.grade, body.note, body.training)
    with room.lock:
        if room.state.votes.decided.get(pair) != body.grade:
            room.adjudicate(who.person.assessor, pair, body.grade, "gold question")
        room.change_campaign(lambda: room.gold.put([question]))
    what = "training question" if body.training else "gold question"
    site.deeds.add(who.person.name, what, f"{body.topic} {body.doc}: {body.grade}")
    return gold_questions(site, who)


@router.post("/gold/remove")
def remove_gold(body: Which, site: TheSite, who: Organiser) -> list[GoldOut]:
    """Ask a gold question no more. Its grade stays decided until that is undone too."""
    room = site.judging.room
    if not room.change_campaign(lambda: room.gold.remove(body.topic, body.doc)):
        raise Refused("unknown", "this is no gold question")
    site.deeds.add(who.person.name, "remove gold question", f"{body.topic} {body.doc}")
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
    site.deeds.add(who.person.name, "message", body.text)
    return messages(site, who)


@router.post("/messages/withdraw")
def withdraw(body: NumberIn, site: TheSite, who: Organiser) -> list[Message]:
    """Show a message no more."""
    if not site.judging.room.change_campaign(lambda: site.messages.withdraw(body.number)):
        raise Refused("unknown", f"there is no message {body.number}")
    site.deeds.add(who.person.name, "withdraw message", str(body.number))
    return messages(site, who)


@router.get("/log")
def log(
    site: TheSite, who: Organiser, before: Annotated[Count | None, Query()] = None
) -> list[Deed]:
    """Who did what besides judging, the latest first, a hundred at a time."""
    return site.deeds.last(LOGGED_AT_A_TIME, before)
