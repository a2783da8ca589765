"""Ways in and out: signing in, accepting an invitation, the link of the owner, signing out."""

import secrets
import time
from typing import Any, Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from leadline.app.accounts import (
    DEVICE,
    INVITATION,
    KNOWN_SECONDS,
    SIGNED_IN_SECONDS,
    WAY_IN,
    Person,
    check_name,
    check_password,
    same,
)
from leadline.app.guard import address_of
from leadline.app.oidc import NotProven
from leadline.app.room import ActionRefused
from leadline.app.site import Denied, Site, page, site_of

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
FORM, OIDC = "leadline_form", "leadline_oidc"


def _set_cookie(
    site: Site,
    response: Response,
    name: str,
    value: str,
    age: float,
    same_site: Literal["strict", "lax"] = "strict",
) -> None:
    response.set_cookie(
        name,
        value,
        max_age=int(age),
        path=f"{site.prefix}/",
        httponly=True,
        samesite=same_site,
        secure=site.secure,
    )


async def _let_in(request: Request, person: Person, response: Response | None = None) -> Response:
    """A new cookie; the one that came with the request is worth nothing any more."""
    site = site_of(request)
    before = request.cookies.get(site.cookie)
    if before:
        await site.aside(site.accounts.forget, site.cookie_use, before)
    response = response or RedirectResponse(f"{site.prefix}/", 303)
    secret = await site.aside(site.accounts.sign_in, person, site.cookie_use)
    _set_cookie(site, response, site.cookie, secret, SIGNED_IN_SECONDS)
    await site.aside(site.audit_log.add, person.name, "come in")
    response.delete_cookie(FORM, path=f"{site.prefix}/")
    if not site.owner:
        known = await site.aside(site.accounts.sign_in, person, DEVICE)
        _set_cookie(site, response, _device(site), known, KNOWN_SECONDS)
    return response


def _device(site: Site) -> str:
    return f"{site.cookie}_known"


async def _values(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", errors="replace")
    # PostgreSQL cannot even be asked for a name with a NUL.
    if "\0" in body or "%00" in body:
        raise Denied(422, "a form has no NUL characters")
    return {key: value[0] for key, value in parse_qs(body, max_num_fields=20).items()}


# Forms, which work without scripts.


async def _form(request: Request) -> dict[str, str]:
    values = await _values(request)
    known = request.cookies.get(FORM, "")
    if not known or not same(values.get("form", ""), known):
        raise Denied(403, "this form is too old or not ours: open the page again")
    return values


def _form_page(request: Request, name: str, status: int = 200, **more: Any) -> Response:
    secret = secrets.token_urlsafe(24)
    response = page(request, name, status, form=secret, **more)
    _set_cookie(site_of(request), response, FORM, secret, 3600)
    return response


@router.get("/enter/{secret}")
async def enter(request: Request, secret: str) -> Response:
    """Let the owner in, where there is no sign-in, by the link that only the owner was shown."""
    site = site_of(request)
    found = await site.aside(site.accounts.enter, WAY_IN, secret) if site.owner else None
    if found is None or not await site.aside(site.accounts.forget, WAY_IN, secret):
        return page(request, "refused.html", 403, linked=True)
    site.announce(await site.aside(site.way_in))
    # A page of ours leads on: browsers hold back a new cookie where another one did.
    return await _let_in(request, found.person, page(request, "entered.html"))


@router.get("/sign-in")
async def sign_in(request: Request) -> Response:
    """Name and password."""
    return _form_page(request, "sign_in.html", provider=site_of(request).provider)


@router.post("/sign-in")
async def signed_in(request: Request) -> Response:
    """Let in whoever knows the password."""
    site = site_of(request)
    values = await _form(request)
    name, address = values.get("name", ""), address_of(request.scope.get("client"))
    device = await _known_device(request, name)
    wait = site.attempts.wait(address, name, device)
    if wait > 0:
        raise Denied(429, "too many wrong passwords", wait)
    password = values.get("password", "")
    person = await site.with_password(site.accounts.check_password, name, password)
    if person is None:
        site.attempts.wrong(address, name, device)
        return _form_page(request, "sign_in.html", 403, error="Name or password is wrong.")
    return await _let_in(request, person)


async def _known_device(request: Request, name: str) -> str | None:
    """By what a browser counts in which this person signed in before."""
    site = site_of(request)
    secret = request.cookies.get(_device(site))
    if not secret:
        return None
    found = await site.aside(site.accounts.enter, DEVICE, secret)
    return found.csrf if found is not None and found.person.name == name else None


# By an identity provider.


@router.get("/oidc")
async def leave(request: Request) -> Response:
    """Lead to the identity provider."""
    site = site_of(request)
    if site.provider is None:
        raise Denied(404, "there is no identity provider here")
    try:
        where, kept = await site.provider.leave(request, f"{site.address}/oidc/back")
    except NotProven as error:
        raise Denied(503, str(error), 5.0) from None
    response = RedirectResponse(where, 303)
    _set_cookie(site, response, OIDC, kept, 600, same_site="lax")
    return response


@router.get("/oidc/back")
async def back(request: Request) -> Response:
    """Let in whoever the provider vouches for, if an organiser has invited that address."""
    site, kept = site_of(request), request.cookies.get(OIDC)
    if site.provider is None or kept is None:
        raise Denied(403, "this way in is too old or not ours: open the sign-in page again")
    try:
        name = await site.provider.email(request, kept)
    except NotProven as error:
        raise Denied(403, str(error)) from None
    person = await site.aside(site.accounts.find, name)
    if person is None or person.closed or person.kind == "machine":
        raise Denied(403, f"{name} is not invited: ask the organiser")
    # A page of ours leads on: browsers hold back a strict cookie on the way from another site.
    response = await _let_in(request, person, page(request, "entered.html"))
    response.delete_cookie(OIDC, path=f"{site.prefix}/")
    return response


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Forget the cookie."""
    site = site_of(request)
    values, secret = await _values(request), request.cookies.get(site.cookie)
    response = RedirectResponse(f"{site.prefix}/{'' if site.owner else 'sign-in'}", 303)
    response.delete_cookie(site.cookie, path=f"{site.prefix}/")
    if not secret:
        return response
    found = await site.identify(request.scope)
    if found is not None and same(values.get("csrf", ""), found.csrf):
        await site.aside(site.accounts.forget, site.cookie_use, secret)
    return response


@router.post("/as")
async def judge_as(request: Request) -> Response:
    """Judge under another name, where there is no sign-in."""
    site = site_of(request)
    values = await _values(request)
    found = await site.identify(request.scope)
    if not site.owner or found is None or not same(values.get("csrf", ""), found.csrf):
        raise Denied(403, "open the page again")
    try:
        name = check_name(values.get("name", ""))
        person = await site.aside(site.accounts.ensure, name, "assessor")
    except ActionRefused as error:
        raise Denied(422, str(error)) from None
    if person.closed or person.kind == "machine" or person.can_sign_in:
        raise Denied(403, "nobody can judge under that name without signing in")
    return await _let_in(request, person)


@router.get("/invitation/{secret}")
async def invitation(request: Request, secret: str) -> Response:
    """Where an invited person sets a password."""
    site = site_of(request)
    found = await site.aside(site.accounts.enter, INVITATION, secret)
    if found is None:
        return page(request, "refused.html", 403, stale=True)
    return _form_page(request, "invitation.html", person=found.person)


@router.post("/invitation/{secret}")
async def accepted(request: Request, secret: str) -> Response:
    """Set the password and let the person in; the link is used up."""
    site = site_of(request)
    values = await _form(request)
    found = await site.aside(site.accounts.enter, INVITATION, secret)
    if found is None:
        return page(request, "refused.html", 403, stale=True)
    password = values.get("password", "")
    try:
        await site.with_password(check_password, password, found.person.name)
    except ActionRefused as error:
        return _form_page(request, "invitation.html", 422, person=found.person, error=str(error))
    # Claimed before the slow part, so that of several who press at once one alone gets in.
    if not await site.aside(site.accounts.forget, INVITATION, secret):
        return page(request, "refused.html", 403, stale=True)
    name, generation = found.person.name, found.person.generation
    try:
        person = await site.with_password(site.accounts.set_password, name, password, generation)
    except ActionRefused:
        return page(request, "refused.html", 403, stale=True)
    return await _let_in(request, person)


SELF_TEST = "/self-test"


@router.post(SELF_TEST)
async def waited(request: Request) -> Response:
    """For how many seconds the body was waited for: none, if a proxy buffers requests."""
    begin = time.monotonic()
    await request.body()
    return PlainTextResponse(f"{time.monotonic() - begin:.3f}")
