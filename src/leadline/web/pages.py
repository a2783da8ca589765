"""The pages for those who are in: judging, organising, and what they are made of."""

from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leadline import __version__
from leadline.presentation.sureness_look import sureness_css
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


async def _page_for(request: Request, name: str, only_organisers: bool = False) -> Response:
    """A page for who is in, or where to go first."""
    site = site_of(request)
    who = await site.identify(request.scope)
    if who is None and site.owner:
        return page(request, "refused.html", 403, linked=True)
    if who is None:
        return RedirectResponse(f"{site.prefix}/sign-in", 303)
    if only_organisers and who.person.role != "organiser":
        return page(request, "refused.html", 403, person=who.person)
    return page(request, name, person=who.person, csrf=who.csrf)


@router.get("/")
async def judge(request: Request) -> Response:
    """Where assessors judge."""
    return await _page_for(request, "judge.html")


@router.get("/mine")
async def own(request: Request) -> Response:
    """Where assessors see what they have judged, and change it."""
    return await _page_for(request, "mine.html")


@router.get("/organise")
async def organise(request: Request) -> Response:
    """Where organisers see how it stands."""
    return await _page_for(request, "organise.html", only_organisers=True)


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
