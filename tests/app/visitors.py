"""Visitors of a site in this process: each with a cookie and the token of its changes."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
from argon2 import PasswordHasher
from starlette.types import ASGIApp

from leadline.app.accounts import Accounts
from leadline.app.serve import make_app
from leadline.app.site import HEADER, Site


def with_quick_hashes(accounts: Accounts) -> Accounts:
    """The same kind of hashes of passwords, made in no time."""
    vars(accounts)["hasher"] = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    return accounts


class InProcess(httpx.BaseTransport):
    """Asks an app without a socket, one request at a time."""

    def __init__(self, app: ASGIApp) -> None:
        self.inner = httpx.ASGITransport(app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        pieces = list(request.stream)

        async def body() -> AsyncIterator[bytes]:
            for piece in pieces:
                yield piece

        async def ask() -> httpx.Response:
            asked = httpx.Request(
                request.method, request.url, headers=request.headers, content=body()
            )
            answer = await self.inner.handle_async_request(asked)
            content = await answer.aread()
            return httpx.Response(answer.status_code, headers=answer.headers, content=content)

        return asyncio.run(ask())


def asking(app: ASGIApp, **more: Any) -> httpx.Client:
    """A client of an app in this process."""
    return httpx.Client(transport=InProcess(app), base_url="http://localhost", **more)


def visitor(site: Site, **more: Any) -> httpx.Client:
    """Nobody yet."""
    return asking(make_app(site), **more)


def signed_in(site: Site, name: str, role: str = "assessor") -> httpx.Client:
    """Somebody with a cookie."""
    person = site.accounts.ensure(name, role)  # type: ignore[arg-type]
    client = visitor(site)
    client.cookies.set(site.cookie, site.accounts.sign_in(person, site.cookie_use))
    client.headers[HEADER] = client.get("/api/me").json()["csrf"]
    return client


def turn(client: httpx.Client) -> dict[str, Any]:
    """The document that this one has to judge."""
    found: dict[str, Any] = client.post("/api/next").json()["assignment"]
    return found


def judge(client: httpx.Client, grade: int) -> dict[str, Any]:
    """Judge what is to be judged; what was."""
    document = turn(client)
    pair = {"topic": document["topic"], "doc": document["doc"]}
    assert client.post("/api/judgments", json={**pair, "grade": grade}).status_code == 200
    return pair


def brought_in(client: httpx.Client, what: dict[str, str]) -> httpx.Response:
    """Import a text as somebody's judgments: `format`, `who`, `text`."""
    where = {"format": what["format"], "by": what["who"]}
    return client.post("/api/import/file", params=where, content=what["text"].encode())
