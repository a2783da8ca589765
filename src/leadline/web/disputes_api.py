"""The API for organisers on disagreements: every one of them, decided, and undone."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from leadline.web.api import REFUSALS, TheSite
from leadline.web.campaign_models import Count, DisputeOut, DisputesOut
from leadline.web.models import Which
from leadline.web.organiser_api import Organiser
from leadline.web.site import Site
from leadline.web.snapshot import vote_rows

router = APIRouter(prefix="/api", tags=["organisers"], responses=REFUSALS)
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
    site.deeds.add(who.person.name, "undo adjudication", f"{body.topic} {body.doc}")
    return site.snapshots.now()
