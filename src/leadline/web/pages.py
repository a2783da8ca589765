"""The pages: judging, organising, signing in, accepting an invitation."""

import secrets
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, select_autoescape

from leadline import __version__
from leadline.judging.room.room import Refused
from leadline.presentation.sureness_look import sureness_css
from leadline.web.accounts import (
    SIGNED_IN_SECONDS,
    Person,
    SignedIn,
    check_name,
    check_password,
    same,
)
from leadline.web.site import Denied, Site, by_cookie, site_of

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
templates = Environment(
    loader=PackageLoader("leadline.web"), autoescape=select_autoescape(default=True)
)
FORM = "leadline_form"
STATIC = files("leadline.web") / "static"
KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


def _page(request: Request, name: str, status: int = 200, **more: Any) -> HTMLResponse:
    site = site_of(request)
    project = site.judging.project
    values = {"title": project.title, "version": __version__, "open": bool(site.owner), **more}
    return HTMLResponse(templates.get_template(name).render(values), status)


def _set_cookie(site: Site, response: Response, name: str, value: str, age: float) -> None:
    response.set_cookie(
        name, value, max_age=int(age), httponly=True, samesite="strict", secure=site.secure
    )


def _let_in(request: Request, person: Person, where: str = "/") -> Response:
    """A new cookie; the one that came with the request is worth nothing any more."""
    site = site_of(request)
    if request.cookies.get(site.cookie):
        site.accounts.forget(site.cookie_use, request.cookies[site.cookie])
    response = RedirectResponse(where, 303)
    secret = site.accounts.sign_in(person, site.cookie_use)
    _set_cookie(site, response, site.cookie, secret, SIGNED_IN_SECONDS)
    response.delete_cookie(FORM)
    return response


def _enter(request: Request) -> SignedIn | Response:
    """Who is asking, or where to go first."""
    site = site_of(request)
    found = by_cookie(request)
    if found is not None:
        return found
    if site.owner:
        return _let_in(request, site.accounts.ensure(site.owner, "organiser"), request.url.path)
    return RedirectResponse("/sign-in", 303)


@router.get("/")
def judge(request: Request) -> Response:
    """Where assessors judge."""
    who = _enter(request)
    if isinstance(who, Response):
        return who
    return _page(request, "judge.html", person=who.person, csrf=who.csrf)


@router.get("/organise")
def organise(request: Request) -> Response:
    """Where organisers see how it stands."""
    who = _enter(request)
    if isinstance(who, Response):
        return who
    if who.person.role != "organiser":
        return _page(request, "refused.html", 403, person=who.person)
    return _page(request, "organise.html", person=who.person, csrf=who.csrf)


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Scripts and styles: only files that lie in one folder, by their names, and one made here."""
    if name == "sureness.css":
        return Response(sureness_css(), media_type=KINDS["css"])
    known = {file.name: file for file in STATIC.iterdir()}
    file = known.get(name)
    if file is None:
        raise Denied(404, "there is no such file")
    kind = KINDS.get(name.rsplit(".", 1)[-1], "application/octet-stream")
    return Response(file.read_bytes(), media_type=kind)


# Forms, which work without scripts.


async def _form(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", errors="replace")
    values = {key: value[0] for key, value in parse_qs(body, max_num_fields=20).items()}
    known = request.cookies.get(FORM, "")
    if not known or not same(values.get("form", ""), known):
        raise Denied(403, "this form is too old or not ours: open the page again")
    return values


def _form_page(request: Request, name: str, status: int = 200, **more: Any) -> Response:
    secret = secrets.token_urlsafe(24)
    response = _page(request, name, status, form=secret, **more)
    _set_cookie(site_of(request), response, FORM, secret, 3600)
    return response


@router.get("/sign-in")
def sign_in(request: Request) -> Response:
    """Name and password."""
    return _form_page(request, "sign_in.html")


@router.post("/sign-in")
async def signed_in(request: Request) -> Response:
    """Let in whoever knows the password."""
    from starlette.concurrency import run_in_threadpool

    site = site_of(request)
    values = await _form(request)
    person = await run_in_threadpool(
        site.accounts.check_password, values.get("name", ""), values.get("password", "")
    )
    if person is None:
        return _form_page(request, "sign_in.html", 403, error="Name or password is wrong.")
    return _let_in(request, person)


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Forget the cookie."""
    site = site_of(request)
    values = {k: v[0] for k, v in parse_qs((await request.body()).decode(errors="replace")).items()}
    found = by_cookie(request)
    if found is not None and same(values.get("csrf", ""), found.csrf):
        site.accounts.forget(site.cookie_use, request.cookies[site.cookie])
    response = RedirectResponse("/sign-in" if not site.owner else "/", 303)
    response.delete_cookie(site.cookie)
    return response


@router.post("/as")
async def judge_as(request: Request) -> Response:
    """Judge under another name, where there is no sign-in."""
    site = site_of(request)
    values = {k: v[0] for k, v in parse_qs((await request.body()).decode(errors="replace")).items()}
    found = by_cookie(request)
    if not site.owner or found is None or not same(values.get("csrf", ""), found.csrf):
        raise Denied(403, "open the page again")
    try:
        person = site.accounts.ensure(check_name(values.get("name", "")), "organiser")
    except Refused as error:
        raise Denied(422, str(error)) from None
    if person.closed or person.kind == "machine":
        raise Denied(403, "nobody can judge under that name")
    return _let_in(request, person)


@router.get("/invitation/{secret}")
def invitation(request: Request, secret: str) -> Response:
    """Where an invited person sets a password."""
    found = site_of(request).accounts.enter("invitation", secret)
    if found is None:
        return _page(request, "refused.html", 403, stale=True)
    return _form_page(request, "invitation.html", person=found.person)


@router.post("/invitation/{secret}")
async def accepted(request: Request, secret: str) -> Response:
    """Set the password and let the person in; the link is used up."""
    from starlette.concurrency import run_in_threadpool

    site = site_of(request)
    values = await _form(request)
    found = site.accounts.enter("invitation", secret)
    if found is None:
        return _page(request, "refused.html", 403, stale=True)
    password = values.get("password", "")
    try:
        check_password(password)
    except Refused as error:
        return _form_page(request, "invitation.html", 422, person=found.person, error=str(error))
    # Claimed before the slow part, so that of several who press at once one alone gets in.
    if not site.accounts.forget("invitation", secret):
        return _page(request, "refused.html", 403, stale=True)
    await run_in_threadpool(site.accounts.set_password, found.person.name, password)
    return _let_in(request, found.person)
