"""The app: API and pages put together, and every error given a plain answer."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from leadline import __version__
from leadline.files.problems import InputError
from leadline.judging.room.database import NotHeld
from leadline.judging.room.room import Refused
from leadline.judging.room.room_lock import Unavailable
from leadline.web import (
    api,
    campaign_api,
    disputes_api,
    entrance,
    image_api,
    machine_api,
    organiser_api,
    own_api,
    pages,
    people_api,
    settings_api,
)
from leadline.web.refusals import refusal
from leadline.web.site import Denied, Site

STATUS = {"grade": 422, "name": 422, "password": 422, "unknown": 404, "setting": 422}
"""Other refusals are conflicts: right in themselves, but not now."""

PARTS = (
    api,
    own_api,
    image_api,
    machine_api,
    organiser_api,
    campaign_api,
    disputes_api,
    settings_api,
    people_api,
    pages,
    entrance,
)
AGAIN = 2.0
"""Seconds after which one may ask again while the database is away."""


def make_app(site: Site) -> FastAPI:
    """The app over a site, without its guard."""
    app = FastAPI(
        title="Leadline judging",
        version=__version__,
        description="Judge documents that decide which run is best. Sign in with a cookie and the "
        "header X-Leadline-CSRF, or with a token as `Authorization: Bearer`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.site = site
    for part in PARTS:
        # Not included as routers: each of those is asked in turn and again for its routes.
        app.router.routes.extend(part.router.routes)
    for kind in (Denied, Refused, InputError, Unavailable, SQLAlchemyError, NotHeld):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    return app


def _problem(
    request: Request, status: int, message: str, code: str, wait: float | None = None
) -> Response:
    body, headers = refusal(request.url.path, status, message, code, wait)
    return Response(body, status, headers)


def _refused(request: Request, error: Any) -> Response:
    if isinstance(error, Denied):
        return _problem(request, error.status, str(error), "denied", error.wait)
    if isinstance(error, Refused):
        return _problem(request, STATUS.get(error.code, 409), str(error), error.code)
    if isinstance(error, InputError):
        return _problem(request, 422, str(error), "input")
    text = str(error) if isinstance(error, Unavailable) else "the database did not answer"
    return _problem(request, 503, text, "unavailable", AGAIN)


def _invalid(request: Request, error: Any) -> Response:
    # Never what was sent: it may hold what cannot be printed, or what should not be repeated.
    said = [
        f"{'.'.join(map(str, each['loc'][1:])) or each['loc'][0]}: {each['msg']}"
        for each in error.errors()[:5]
    ]
    text = "; ".join(said).encode("utf-8", errors="replace").decode()
    return _problem(request, 422, text, "invalid")


def _http(request: Request, error: Any) -> Response:
    # A body that cannot be read is as little understood as one that says nonsense.
    status = 422 if error.status_code == 400 else error.status_code
    response = _problem(request, status, str(error.detail), "http")
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response
