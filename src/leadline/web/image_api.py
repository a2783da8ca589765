"""The image of a document: never a file that the visitor names."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from leadline.judging.room.images import BEGINNINGS
from leadline.judging.room.room import Refused
from leadline.web.api import REFUSALS, CurrentUser, TheSite, readable
from leadline.web.models import Name

router = APIRouter(prefix="/api", tags=["assessors"], responses=REFUSALS)


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
        raise Refused("unknown", str(error)) from None
    return Response(found.data, media_type=found.kind)
