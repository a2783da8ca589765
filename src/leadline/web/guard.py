"""What every request must pass, and every answer carries: hosts, origins, sizes, rates, headers."""

import json
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

UNSAFE = frozenset(["POST", "PUT", "PATCH", "DELETE"])
SMALL = 64 * 1024
LARGE = 20 * 1024 * 1024
IMPORT = "/api/import"


@dataclass
class Buckets:
    """So many requests a second on average, and so many at once, for each who asks."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    most: int = 10_000
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, key: str) -> bool:
        """Whether this one may come through now."""
        now = self.clock()
        left, then = self._left.pop(key, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        allowed = left >= 1
        self._left[key] = (left - allowed, now)
        if len(self._left) > self.most:
            self._left.popitem(last=False)
        return allowed


@dataclass(frozen=True)
class Limits:
    """What a server allows."""

    hosts: frozenset[str]
    rate: float = 30.0
    burst: float = 90.0
    sign_ins: float = 10.0
    frames: str = ""
    secure: bool = False


class _TooLarge(HTTPException):
    """Of a kind that the app hands on instead of answering that it could not read the body."""


class Guard:
    """An ASGI app around another."""

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        known_name: Callable[[Headers], str | None] = lambda headers: None,
    ) -> None:
        self.app, self.limits, self.known_name = app, limits, known_name
        self.buckets = Buckets(limits.rate, limits.burst)
        self.sign_ins = Buckets(limits.sign_ins / 60, limits.sign_ins)
        frames = f"frame-src {limits.frames}; " if limits.frames else ""
        self.policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            f"connect-src 'self'; {frames}form-action 'self'; base-uri 'none'; "
            "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or let it through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(*refusal, self._dressed(send, scope["path"]))
            return
        most = LARGE if scope["path"] == IMPORT else SMALL
        if _length(headers) > most:
            message = f"a request has at most {most:,} bytes"
            await _answer(413, message, self._dressed(send, scope["path"]))
            return
        await self._limited(scope, receive, self._dressed(send, scope["path"]), most)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        read, begun = 0, False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > most:
                raise _TooLarge(413, f"a request has at most {most:,} bytes")
            return message

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except _TooLarge:
            if not begun:
                await _answer(413, f"a request has at most {most:,} bytes", send)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = host_of(headers.get("host", ""))
        # Otherwise any page could reach this machine by a name of its own that leads here.
        if "*" not in self.limits.hosts and host not in self.limits.hosts:
            return 421, f"this server does not answer to the name {host[:80]!r}"
        if scope["method"] in UNSAFE and not self._same_site(headers):
            return 403, "the request comes from another site"
        client = (scope.get("client") or ("?", 0))[0]
        # Behind one address there may be many people: those who came in count by their names. A
        # secret that the sender made up counts for nothing.
        name = self.known_name(headers)
        if not self.buckets.take(client if name is None else f"{client} {name}"):
            return 429, "too many requests: wait a moment"
        # Passwords are guessed at one place; an invitation cannot be, but hashing takes its time.
        guessing = scope["path"] == "/sign-in" or scope["path"].startswith("/invitation/")
        attempt = f"{client} {scope['path']}"
        if scope["method"] == "POST" and guessing and not self.sign_ins.take(attempt):
            return 429, "too many attempts: wait a minute"
        return None

    def _same_site(self, headers: Headers) -> bool:
        """Browsers say where a request comes from; programs say nothing, and have no cookie."""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return False
        origin = headers.get("origin")
        if origin is None:
            return True
        return urlsplit(origin).netloc == headers.get("host")

    def _dressed(self, send: Send, path: str) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = self.policy
                headers["X-Content-Type-Options"] = "nosniff"
                # Not no-referrer: browsers would send the origin of our own forms as null.
                headers["Referrer-Policy"] = "same-origin"
                headers["X-Frame-Options"] = "DENY"
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
                headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
                if self.limits.secure:
                    headers["Strict-Transport-Security"] = "max-age=31536000"
                still = path.startswith("/static/")
                headers["Cache-Control"] = "no-cache" if still else "no-store"
            await send(message)

        return dressed


def host_of(text: str) -> str:
    """A host without its port.

    >>> host_of("[::1]:8000"), host_of("localhost:8000")
    ('[::1]', 'localhost')
    """
    if text.startswith("["):
        return text[: text.find("]") + 1].lower()
    return text.rsplit(":", 1)[0].lower() if ":" in text else text.lower()


def _length(headers: Headers) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdigit() else 0


async def _answer(status: int, message: str, send: Send) -> None:
    body = json.dumps({"error": message, "code": str(status)}).encode()
    kind = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 429:
        kind.append((b"retry-after", b"2"))
    await send({"type": "http.response.start", "status": status, "headers": kind})
    await send({"type": "http.response.body", "body": body})
