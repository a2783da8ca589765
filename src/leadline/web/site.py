"""What the app knows while it runs: the open project, who may come in, how it is reached."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from leadline.judging.room.deeds import Deeds
from leadline.judging.room.messages import MessagesToAll
from leadline.judging.room.room import Refused
from leadline.verbs.judge import Judging
from leadline.web.accounts import ACCOUNT, OPEN, TOKEN, Accounts, same
from leadline.web.buckets import Attempts
from leadline.web.guard import UNSAFE
from leadline.web.person import SignedIn
from leadline.web.prepared import Prepared
from leadline.web.snapshot import Snapshots

HEADER = "X-Leadline-CSRF"
DOORS = 4
"""Threads for who comes in, beside those of the room: one may hang without the other."""

DESKS = 4
"""Threads for those who judge: they take turns at one room anyway, and more of them only fight."""

Found = TypeVar("Found")


class Denied(Exception):
    """A request that may not be answered: 401 for nobody we know, 403 for no right to it."""

    def __init__(self, status: int, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.status, self.wait = status, wait


@dataclass
class Site:
    """One per project. `owner` is who everybody is where there is no sign-in, else empty.

    `prefix` is the path under which it is found, empty where it is the only one of a server.

    `announce` is told the link by which the owner gets in, at the start and whenever it was used.
    """

    judging: Judging
    accounts: Accounts
    owner: str = ""
    cookie: str = "leadline"
    secure: bool = False
    address: str = ""
    prefix: str = ""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    announce: Callable[[str], object] = lambda link: None

    def __post_init__(self) -> None:
        self.snapshots = Snapshots(self.judging)
        self.guidelines: dict[str, list[Any]] = {}
        self.prepared = Prepared(lambda doc: self.judging.library.document(doc))
        self.attempts = Attempts()
        self.deeds = Deeds(self.judging.database)
        self.messages = MessagesToAll(self.judging.database)
        self.streams: Counter[str] = Counter()
        self._doors = CapacityLimiter(DOORS)
        self._desks = ThreadPoolExecutor(DESKS, "desk")

    async def aside(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work that may wait for the database, where nobody waits for it."""
        return await run_sync(work, *arguments, limiter=self._doors, abandon_on_cancel=True)

    async def at_the_desk(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work of somebody who judges, in one of a few threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._desks, work, *arguments)

    def way_in(self) -> str:
        """A link by which the owner gets in once, where there is no sign-in."""
        person = self.accounts.ensure(self.owner, "organiser")
        return f"{self.address}/enter/{self.accounts.way_in(person)}"

    @property
    def cookie_use(self) -> str:
        """What a cookie must have been made for: one from before accounts were demanded is none."""
        return OPEN if self.owner else ACCOUNT

    def known_name(self, headers: Headers) -> str | None:
        """Who has come in with what these headers carry, None for a secret that was made up."""
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            found = self.accounts.remembered(TOKEN, bearer[7:].strip(), late=True)
        else:
            secret = cookie_parser(headers.get("cookie", "")).get(self.cookie, "")
            found = self.accounts.remembered(self.cookie_use, secret, late=True)
        return None if found is None else found.person.name

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


async def _entered(site: Site, use: str, secret: str) -> SignedIn | None:
    """Who this secret lets in; the database is asked aside, once a minute."""
    known = site.accounts.remembered(use, secret)
    if known is not None:
        return known
    return await site.aside(site.accounts.enter, use, secret)


async def by_cookie(request: Request) -> SignedIn | None:
    """Who the cookie says is asking."""
    site = site_of(request)
    secret = request.cookies.get(site.cookie)
    return await _entered(site, site.cookie_use, secret) if secret else None


# As dependencies these are coroutines: a plain function would be sent to a thread for each.


async def get_site(request: Request) -> Site:
    """The site that this request came to."""
    return site_of(request)


async def current_user(request: Request) -> SignedIn:
    """Who is asking; a Denied if that is nobody, or a change that a page of ours did not send."""
    bearer = request.headers.get("authorization", "")
    if bearer.lower().startswith("bearer "):
        found = await _entered(site_of(request), TOKEN, bearer[7:].strip())
        if found is None:
            raise Denied(401, "this token lets nobody in")
        return found
    found = await by_cookie(request)
    if found is None:
        raise Denied(401, "sign in first")
    if request.method in UNSAFE and not same(request.headers.get(HEADER, ""), found.csrf):
        raise Denied(403, f"a change needs the header {HEADER} with the token from /api/me")
    return found


async def organiser(request: Request) -> SignedIn:
    """Who is asking, if it is an organiser."""
    found = await current_user(request)
    if found.person.role != "organiser":
        raise Denied(403, "only organisers may do that")
    return found
