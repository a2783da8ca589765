"""What the app knows while it runs: the open project, who may come in, how it is reached."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from leadline.judging.room.room import Refused
from leadline.verbs.judge import Judging
from leadline.web.accounts import ACCOUNT, OPEN, Accounts, SignedIn, same
from leadline.web.guard import UNSAFE
from leadline.web.snapshot import Snapshots

HEADER = "X-Leadline-CSRF"


class Denied(Exception):
    """A request that may not be answered: 401 for nobody we know, 403 for no right to it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Site:
    """One per server. `owner` is who everybody is where there is no sign-in, else empty."""

    judging: Judging
    accounts: Accounts
    owner: str = ""
    cookie: str = "leadline"
    secure: bool = False
    address: str = ""
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.snapshots = Snapshots(self.judging)
        self.guidelines: dict[str, list[Any]] = {}

    @property
    def cookie_use(self) -> str:
        """What a cookie must have been made for: one from before accounts were demanded is none."""
        return OPEN if self.owner else ACCOUNT

    def known_name(self, headers: Headers) -> str | None:
        """Who has come in with what these headers carry, None for a secret that was made up."""
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            return self.accounts.known("token", bearer[7:].strip())
        secret = cookie_parser(headers.get("cookie", "")).get(self.cookie)
        return self.accounts.known(self.cookie_use, secret) if secret else None

    def pair(self, topic: str, doc: str) -> int:
        """The number of a pair; a Refused if no run returns it."""
        with self.judging.room.lock:
            found = self.judging.room.state.pair(topic, doc)
        if found < 0:
            raise Refused("unknown", "no run returns that document for that topic")
        return found


def site_of(request: Request) -> Site:
    """The site that this request came to."""
    site: Site = request.app.state.site
    return site


def authenticate(request: Request) -> SignedIn:
    """Who is asking; a Denied if that is nobody, or a change that a page of ours did not send."""
    site = site_of(request)
    bearer = request.headers.get("authorization", "")
    if bearer.lower().startswith("bearer "):
        found = site.accounts.enter("token", bearer[7:].strip())
        if found is None:
            raise Denied(401, "this token lets nobody in")
        return found
    found = by_cookie(request)
    if found is None:
        raise Denied(401, "sign in first")
    if request.method in UNSAFE and not same(request.headers.get(HEADER, ""), found.csrf):
        raise Denied(403, f"a change needs the header {HEADER} with the token from /api/me")
    return found


# As dependencies these are coroutines: a plain function would be sent to a thread for each.


async def get_site(request: Request) -> Site:
    """The site that this request came to."""
    return site_of(request)


async def current_user(request: Request) -> SignedIn:
    """Who is asking."""
    return authenticate(request)


def by_cookie(request: Request) -> SignedIn | None:
    """Who the cookie says is asking."""
    site = site_of(request)
    secret = request.cookies.get(site.cookie)
    return site.accounts.enter(site.cookie_use, secret) if secret else None


async def organiser(request: Request) -> SignedIn:
    """Who is asking, if it is an organiser."""
    found = authenticate(request)
    if found.person.role != "organiser":
        raise Denied(403, "only organisers may do that")
    return found
