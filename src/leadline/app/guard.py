"""What every request must pass and every answer carries: host, origin, name, size, rate."""

import asyncio
import ipaddress
import json
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, select_autoescape
from limits import RateLimitItem, RateLimitItemPerMinute, RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leadline.app.accounts import SignedIn


class Rates:
    """Requests of each key within moving windows, counted in memory."""

    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def wait(self, item: RateLimitItem, key: str, count: bool = True) -> float:
        """Return 0 and count a request, or the seconds until the next one is allowed."""
        allowed = self._limiter.hit if count else self._limiter.test
        if allowed(item, key):
            return 0.0
        return max(1.0, self._limiter.get_window_stats(item, key).reset_time - time.time())


PER_NAME = RateLimitItemPerMinute(10)
PER_ADDRESS = RateLimitItemPerMinute(60)


class Attempts:
    """Wrong passwords: ten a minute for a name from one address, sixty a minute from an address.

    A browser in which somebody signed in before counts by itself. So wrong passwords keep nobody
    else out: not at another address, not under another name, nor where the browser is known.
    """

    def __init__(self) -> None:
        self._rates = Rates()

    def wait(self, address: str, name: str, device: str | None) -> float:
        """Seconds to wait before this attempt; 0 if it may be made."""
        keys = self._keys(address, name, device)
        return max(self._rates.wait(item, key, count=False) for item, key in keys)

    def wrong(self, address: str, name: str, device: str | None) -> None:
        """Count a wrong password."""
        for item, key in self._keys(address, name, device):
            self._rates.wait(item, key)

    def _keys(self, address: str, name: str, device: str | None) -> list[tuple[RateLimitItem, str]]:
        if device is not None:
            return [(PER_NAME, f"device {device}")]
        return [(PER_NAME, f"{address} {name[:100]}"), (PER_ADDRESS, address)]


def address_of(client: tuple[str, int] | None) -> str:
    """By what an address is counted: of IPv6 one has as many as one likes within a /64.

    >>> address_of(("192.0.2.1", 9)), address_of(("2001:db8::1:2", 9)), address_of(None)
    ('192.0.2.1', '2001:db8::/64', '?')
    """
    if client is None:
        return "?"
    try:
        found = ipaddress.ip_address(client[0].split("%")[0])
    except ValueError:
        return client[0]
    if found.version == 4:
        return str(found)
    return str(ipaddress.ip_network((found, 64), strict=False))


def path_of(scope: Scope) -> str:
    """The path within a project, which may be mounted under a path of its own."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


templates = Environment(
    loader=PackageLoader("leadline.app"), autoescape=select_autoescape(default=True)
)


def refusal(
    path: str, status: int, message: str, code: str, wait: float | None = None
) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a refusal: JSON for what is asked of the API, else a page."""
    seconds = None if wait is None else max(1, math.ceil(wait))
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    if seconds is not None:
        message = f"{message}: wait {seconds} second{'s' if seconds > 1 else ''}"
    if path.startswith("/api"):
        body: dict[str, Any] = {"error": message, "code": code}
        if seconds is not None:
            body["wait"] = seconds
        return json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}
    page = templates.get_template("problem.html").render(
        title="Not possible", message=message, status=status
    )
    return page.encode(), {**headers, "Content-Type": "text/html; charset=utf-8"}


UNSAFE = frozenset(["POST", "PUT", "PATCH", "DELETE"])
SMALL = 64 * 1024
LARGE = 256 * 1024 * 1024
IMPORT_FILE = "/api/import/file"
BODY_SECONDS, LARGE_SECONDS = 20.0, 300.0
"""Within which the whole body of a request must have come."""

AT_ONCE = 50
"""Requests of one address that are answered at the same time, of those who are not signed in."""


@dataclass(frozen=True)
class Limits:
    """What a server allows."""

    hosts: frozenset[str]
    rate: float = 30.0
    frames: str = ""
    secure: bool = False


Refusal = tuple[int, str, float | None]
"""A status, a sentence, and the seconds after which to ask again."""

Identify = Callable[[Scope], Awaitable[SignedIn | None]]


async def _nobody(scope: Scope) -> SignedIn | None:
    return None


class Guard:
    """An ASGI app around another. Who asks is known before anything of a body is read."""

    def __init__(self, app: ASGIApp, limits: Limits, identify: Identify = _nobody) -> None:
        self.app, self.limits, self.identify = app, limits, identify
        self.rates, self.asking = Rates(), Counter[str]()
        # So many a second on average, and three times as many at once.
        self.rate = RateLimitItemPerSecond(max(1, round(3 * limits.rate)), 3)
        frames = f"frame-src {limits.frames}; " if limits.frames else ""
        self.policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            f"connect-src 'self'; {frames}form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        )
        self._still, self._moving = self._dress("no-cache"), self._dress("no-store")

    def _dress(self, cache: str) -> list[tuple[bytes, bytes]]:
        """What every answer carries, as it is sent."""
        headers = {
            "Content-Security-Policy": self.policy,
            "X-Content-Type-Options": "nosniff",
            # Not no-referrer: browsers would send the origin of our own forms as null.
            "Referrer-Policy": "same-origin",
            "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
            "Cache-Control": cache,
        }
        if self.limits.secure:
            headers["Strict-Transport-Security"] = "max-age=31536000"
        return [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or let it through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), path_of(scope)
        # Files of pages cost little: nobody is looked up for them, and they do not count.
        still = path.startswith("/static/")
        send = self._dressed(send, self._still if still else self._moving)
        refused = self._foreign(scope["method"], headers)
        who = None
        if refused is None and not still:
            try:
                who = await self.identify(scope)
            except SQLAlchemyError:
                refused = 503, "the database did not answer", 2.0
        address = address_of(scope.get("client"))
        refused = refused or (None if still else self._too_many(address, who))
        # The body of a change that nobody known asks for is not worth reading.
        change = scope["method"] in UNSAFE and path.startswith("/api/")
        if refused is None and who is None and change:
            refused = 401, "sign in first", None
        if refused is not None:
            await _answer(path, *refused, send)
            return
        organises = who is not None and who.person.role == "organiser"
        large = organises and path == IMPORT_FILE
        limits = (LARGE, LARGE_SECONDS) if large else (SMALL, BODY_SECONDS)
        key = address if who is None else ""
        self.asking[key] += 1
        try:
            await self.app(scope, _limited(receive, *limits), send)
        finally:
            self.asking[key] -= 1
            if not self.asking[key]:
                del self.asking[key]

    def _foreign(self, method: str, headers: Headers) -> Refusal | None:
        """The refusal of a request to another host, or from another site."""
        try:
            host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        except ValueError:
            host = ""
        # Otherwise any page could reach this machine by a name of its own that leads here.
        if host not in self.limits.hosts:
            return 421, f"this server does not answer to the name {host[:80]!r}", None
        if method in UNSAFE and not _same_site(headers):
            return 403, "the request comes from another site", None
        return None

    def _too_many(self, address: str, who: SignedIn | None) -> Refusal | None:
        """The refusal of one request too many."""
        # Behind one address there may be many people: those who came in count by their names,
        # wherever they are. A secret that the sender made up counts for nothing.
        wait = self.rates.wait(self.rate, address if who is None else f"name {who.person.name}")
        if wait or (who is None and self.asking[address] >= AT_ONCE):
            return 429, "too many requests", wait or 1.0
        return None

    def _dressed(self, send: Send, dress: list[tuple[bytes, bytes]]) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                names = {name.lower() for name, _ in own}
                message["headers"] = [*own, *(each for each in dress if each[0] not in names)]
            await send(message)

        return dressed


def _same_site(headers: Headers) -> bool:
    """Browsers say where a request comes from; programs say nothing, and have no cookie."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host")


def _limited(receive: Receive, most: int, seconds: float) -> Receive:
    """The same body, as long as it is small and comes in time; the app answers the error."""
    read, whole, end = 0, False, asyncio.get_running_loop().time() + seconds

    async def limited() -> Message:
        nonlocal read, whole
        try:
            # Once all is read, what comes next is the end of the connection, whenever.
            async with asyncio.timeout_at(None if whole else end):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "the rest of the request did not come") from None
        whole = not message.get("more_body", False)
        read += len(message.get("body", b""))
        if read > most:
            raise HTTPException(413, f"a request has at most {most:,} bytes")
        return message

    return limited


async def _answer(path: str, status: int, message: str, wait: float | None, send: Send) -> None:
    body, told = refusal(path, status, message, str(status), wait)
    headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
