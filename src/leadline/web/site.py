"""What the app knows while it runs: the open project, who may come in, how it is reached."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import Scope

from leadline.judging.room.deeds import Deeds
from leadline.judging.room.messages import MessagesToAll
from leadline.judging.room.room import Refused
from leadline.verbs.judge import Judging
from leadline.web.accounts import ACCOUNT, OPEN, OPEN_TOKEN, TOKEN, Accounts, same
from leadline.web.guard import UNSAFE
from leadline.web.limits import Attempts
from leadline.web.oidc import Provider
from leadline.web.person import SignedIn
from leadline.web.prepared import Prepared
from leadline.web.snapshot import Snapshots

HEADER = "X-Leadline-CSRF"
DOORS = 4
"""Threads for who comes in, beside those of the room: one may hang without the other."""

HASHING, MOST_HASHING = 1, 8
"""Threads that check passwords (argon2 has its own), and requests that may wait for them."""

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
    `provider` is an identity provider by which people may sign in.

    `announce` is told the link by which the owner gets in, at the start and whenever it was used.
    """

    judging: Judging
    accounts: Accounts
    owner: str = ""
    cookie: str = "leadline"
    secure: bool = False
    address: str = ""
    prefix: str = ""
    provider: Provider | None = None
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
        self._doors = ThreadPoolExecutor(DOORS, "door")
        self._hashing, self._passwords = ThreadPoolExecutor(HASHING, "password"), 0
        self._desks = ThreadPoolExecutor(DESKS, "desk")

    async def aside(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work that may wait for the database, where nobody waits for it."""
        return await asyncio.get_running_loop().run_in_executor(self._doors, work, *arguments)

    async def with_password(self, work: Callable[..., Found], *arguments: Any) -> Found:
        """Work that hashes a password: slow, so few at a time; a Denied if many wait already."""
        if self._passwords >= MOST_HASHING:
            raise Denied(429, "too many people sign in at once", 2.0)
        self._passwords += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._hashing, work, *arguments)
        finally:
            self._passwords -= 1

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

    @property
    def token_use(self) -> str:
        """What a token must have been made for."""
        return OPEN_TOKEN if self.owner else TOKEN

    async def identify(self, scope: Scope) -> SignedIn | None:
        """Who asks, by a token or else a cookie; looked up once for each request."""
        state = scope.setdefault("state", {})
        if "who" not in state:
            use, secret = self._secret(Headers(scope=scope))
            found = await self.aside(self.accounts.enter, use, secret) if secret else None
            if found is not None and found.use == OPEN:
                # Without sign-in the owner's link is what lets in, under whichever name.
                found = replace(found, person=replace(found.person, role="organiser"))
            state["who"] = found
        who: SignedIn | None = state["who"]
        return who

    def _secret(self, headers: Headers) -> tuple[str, str]:
        """What a request says that lets it in, and for which use."""
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            return self.token_use, bearer[7:].strip()
        return self.cookie_use, cookie_parser(headers.get("cookie", "")).get(self.cookie, "")

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


# As dependencies these are coroutines: a plain function would be sent to a thread for each.


async def get_site(request: Request) -> Site:
    """The site that this request came to."""
    return site_of(request)


async def current_user(request: Request) -> SignedIn:
    """Who is asking; a Denied if that is nobody, or a change that a page of ours did not send."""
    found = await site_of(request).identify(request.scope)
    bearer = request.headers.get("authorization", "").lower().startswith("bearer ")
    if found is None:
        raise Denied(401, "this token lets nobody in" if bearer else "sign in first")
    changes = request.method in UNSAFE and not bearer
    if changes and not same(request.headers.get(HEADER, ""), found.csrf):
        raise Denied(403, f"a change needs the header {HEADER} with the token from /api/me")
    return found


async def organiser(request: Request) -> SignedIn:
    """Who is asking, if it is an organiser."""
    found = await current_user(request)
    if found.person.role != "organiser":
        raise Denied(403, "only organisers may do that")
    return found
