"""The pages for those who are in: judging, organising, and what they are made of."""

from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leadline import __version__
from leadline.presentation.sureness_look import sureness_css
from leadline.web.person import SignedIn
from leadline.web.refusals import templates
from leadline.web.site import Denied, site_of

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
STATIC = files("leadline.web") / "static"
KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
FILES = {file.name: file.read_bytes() for file in STATIC.iterdir() if file.is_file()}
FILES["sureness.css"] = sureness_css().encode()


def page(request: Request, name: str, status: int = 200, **more: Any) -> HTMLResponse:
    """A page made from a template."""
    site = site_of(request)
    project = site.judging.project
    values = {"title": project.title, "version": __version__, "open": bool(site.owner)}
    values |= {"base": site.prefix, **more}
    return HTMLResponse(templates.get_template(name).render(values), status)


async def _enter(request: Request) -> SignedIn | Response:
    """Who is asking, or where to go first."""
    found = await site_of(request).identify(request.scope)
    if found is not None:
        return found
    if site_of(request).owner:
        return page(request, "refused.html", 403, linked=True)
    return RedirectResponse(f"{site_of(request).prefix}/sign-in", 303)


@router.get("/")
async def judge(request: Request) -> Response:
    """Where assessors judge."""
    who = await _enter(request)
    if isinstance(who, Response):
        return who
    return page(request, "judge.html", person=who.person, csrf=who.csrf)


@router.get("/mine")
async def own(request: Request) -> Response:
    """Where assessors see what they have judged, and change it."""
    who = await _enter(request)
    if isinstance(who, Response):
        return who
    return page(request, "mine.html", person=who.person, csrf=who.csrf)


@router.get("/organise")
async def organise(request: Request) -> Response:
    """Where organisers see how it stands."""
    who = await _enter(request)
    if isinstance(who, Response):
        return who
    if who.person.role != "organiser":
        return page(request, "refused.html", 403, person=who.person)
    return page(request, "organise.html", person=who.person, csrf=who.csrf)


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Scripts and styles: only files that lie in one folder, by name, and one made here."""
    found = static_file(name)
    if found is None:
        raise Denied(404, "there is no such file")
    return found


def static_file(name: str) -> Response | None:
    """One of our own files, None if there is none of that name."""
    content = FILES.get(name)
    if content is None:
        return None
    kind = KINDS.get(name.rsplit(".", 1)[-1], "application/octet-stream")
    return Response(content, media_type=kind)
