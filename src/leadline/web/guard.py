"""What every request must pass, and every answer carries: hosts, origins, sizes, rates, headers."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leadline.web.buckets import Buckets, address_of
from leadline.web.refusals import refusal

UNSAFE = frozenset(["POST", "PUT", "PATCH", "DELETE"])
SMALL = 64 * 1024
LARGE = 256 * 1024 * 1024
IMPORT, IMPORT_FILE = "/api/import", "/api/import/file"
PIECE = 20.0
"""Seconds within which the next piece of a body must come."""


@dataclass(frozen=True)
class Limits:
    """What a server allows."""

    hosts: frozenset[str]
    rate: float = 30.0
    burst: float = 90.0
    invitations: float = 10.0
    frames: str = ""
    secure: bool = False


class _TooLarge(HTTPException):
    """Of a kind that the app hands on instead of answering that it could not read the body."""


class _TooSlow(HTTPException):
    """The same of a body that does not come."""


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
        self.invitations = Buckets(limits.invitations / 60, limits.invitations)
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
        headers = Headers(scope=scope)
        refused = self._refusal(scope, headers)
        if refused is not None:
            await _answer(scope["path"], *refused, self._dressed(send, scope["path"]))
            return
        most = LARGE if scope["path"] in (IMPORT, IMPORT_FILE) else SMALL
        if _length(headers) > most:
            message = f"a request has at most {most:,} bytes"
            await _answer(scope["path"], 413, message, None, self._dressed(send, scope["path"]))
            return
        await self._limited(scope, receive, self._dressed(send, scope["path"]), most)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        read, begun, whole = 0, False, False

        async def counted() -> Message:
            nonlocal read, whole
            try:
                # Once all is read, what comes next is the end of the connection, whenever.
                async with asyncio.timeout(None if whole else PIECE):
                    message = await receive()
            except TimeoutError:
                raise _TooSlow(408, "the rest of the request did not come") from None
            whole = whole or not message.get("more_body", False)
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
        except (_TooLarge, _TooSlow) as error:
            if not begun:
                await _answer(scope["path"], error.status_code, error.detail, None, send)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, float | None] | None:
        """Status, reason and how long to wait, None if the request may come through."""
        host = host_of(headers.get("host", ""))
        # Otherwise any page could reach this machine by a name of its own that leads here.
        if "*" not in self.limits.hosts and host not in self.limits.hosts:
            return 421, f"this server does not answer to the name {host[:80]!r}", None
        if scope["method"] in UNSAFE and not self._same_site(headers):
            return 403, "the request comes from another site", None
        address = address_of(scope.get("client"))
        # Behind one address there may be many people: those who came in count by their names,
        # wherever they are. A secret that the sender made up counts for nothing.
        name = self.known_name(headers)
        key = f"address {address}" if name is None else f"name {name}"
        if not self.buckets.take(key):
            return 429, "too many requests", self.buckets.wait(key)
        # An invitation cannot be guessed, but hashing takes its time.
        invited = scope["method"] == "POST" and scope["path"].startswith("/invitation/")
        if invited and not self.invitations.take(address):
            return 429, "too many attempts", self.invitations.wait(address)
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
        dress = self._still if path.startswith("/static/") else self._moving

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *dress]
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


async def _answer(path: str, status: int, message: str, wait: float | None, send: Send) -> None:
    body, told = refusal(path, status, message, str(status), wait)
    headers = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
