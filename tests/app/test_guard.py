"""What every request must pass: each limit holds, and each answer is dressed."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import Message, Scope

from leadline.app import guard
from leadline.app.accounts import Person, SignedIn
from leadline.app.guard import IMPORT_FILE, SMALL, Guard, Limits
from tests.app.visitors import asking


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def client(**limits: Any) -> httpx.Client:
    paths = ("/", "/sign-in", "/static/x.js", IMPORT_FILE, "/api/next")
    app = Starlette(routes=[Route(path, echo, methods=["GET", "POST"]) for path in paths])
    options = {"hosts": frozenset(["localhost", "::1"]), **limits}

    return asking(Guard(app, Limits(**options), known))


async def known(scope: Scope) -> SignedIn | None:
    """Ann is an assessor, Boss an organiser."""
    roles: dict[str, Any] = {"Bearer ann": "assessor", "Bearer boss": "organiser"}
    said = Headers(scope=scope).get("authorization", "")
    return SignedIn(Person(said[7:], roles[said]), "csrf") if said in roles else None


ANN, BOSS = {"Authorization": "Bearer ann"}, {"Authorization": "Bearer boss"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:99"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
        ({"Host": "LOCALHOST:1"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "[::1"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://localhost"}, 200),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_a_change_comes_from_our_own_pages(headers: dict[str, str], status: int) -> None:
    assert client().post("/", headers=headers).status_code == status
    if status == 403:
        assert client().get("/", headers=headers).status_code == 200


def test_bodies_have_a_size_announced_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGE", 2 * SMALL)
    visitor = client()

    def pieces(n: int) -> Iterator[bytes]:
        yield from (b"x" * 1024 for _ in range(n))

    assert visitor.post("/", content=b"x" * SMALL).text == str(SMALL)
    assert visitor.post("/", content=b"x" * (SMALL + 1)).status_code == 413
    assert visitor.post("/", content=pieces(SMALL // 1024 + 1)).status_code == 413
    # Only an organiser sends more.
    large = {"content": b"x" * (2 * SMALL)}
    assert visitor.post(IMPORT_FILE, headers=BOSS, **large).status_code == 200
    assert visitor.post(IMPORT_FILE, headers=ANN, **large).status_code == 413
    more = pieces(2 * SMALL // 1024 + 1)
    assert visitor.post(IMPORT_FILE, headers=BOSS, content=more).status_code == 413


def test_a_body_of_nobody_is_not_read() -> None:
    def never() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    for path in ("/api/next", IMPORT_FILE):
        asked = httpx.Request("POST", f"http://localhost{path}", content=never())
        said = asyncio.run(first_answer(asked))
        assert said == 401


async def first_answer(request: httpx.Request) -> int:
    """The status of an answer to a request whose body never comes."""

    async def receive() -> Message:
        raise AssertionError("the body was read")

    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    scope = {"type": "http", "method": "POST", "path": request.url.path, "query_string": b""}
    headers = [(b"host", b"localhost"), (b"content-length", b"60000")]
    app = Starlette(routes=[Route(request.url.path, echo, methods=["POST"])])
    guarded = Guard(app, Limits(hosts=frozenset(["localhost"])), known)
    await guarded({**scope, "headers": headers, "client": ("192.0.2.1", 1)}, receive, send)
    return int(said[0]["status"])


def test_too_many_requests_wait_each_by_their_own_name() -> None:
    visitor = client(rate=0.667)
    assert [visitor.get("/").status_code for _ in range(3)] == [200, 200, 429]
    refused = visitor.get("/")
    assert int(refused.headers["retry-after"]) >= 1
    assert "too many requests: wait" in refused.text
    assert "<h1>" in refused.text
    # A secret that was made up buys nothing; one of somebody who came in does.
    assert visitor.get("/", headers={"Authorization": "Bearer x"}).status_code == 429
    assert visitor.get("/", headers={"Authorization": "Bearer ann"}).status_code == 200


def test_files_of_pages_do_not_count() -> None:
    """Many people may open the page at once behind one address."""
    visitor = client(rate=0.667)
    assert {visitor.get("/static/x.js").status_code for _ in range(200)} == {200}
    assert [visitor.get("/").status_code for _ in range(3)] == [200, 200, 429]


def test_who_came_in_counts_by_name_wherever_that_is() -> None:
    first, second = client(rate=0.667), ANN
    assert [first.get("/", headers=second).status_code for _ in range(3)] == [200, 200, 429]
    assert first.get("/").status_code == 200


def test_of_one_address_so_many_are_answered_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "AT_ONCE", 3)
    opened = asyncio.Event()

    async def slow(request: Request) -> PlainTextResponse:
        await opened.wait()
        return PlainTextResponse("")

    guarded = Guard(
        Starlette(routes=[Route("/", slow)]), Limits(hosts=frozenset(["localhost"])), known
    )

    async def all_at_once() -> None:
        def of(place: str) -> httpx.AsyncClient:
            transport = httpx.ASGITransport(guarded, client=(place, 1))
            return httpx.AsyncClient(transport=transport, base_url="http://localhost")

        async with asyncio.timeout(10), of("192.0.2.1") as here, of("192.0.2.2") as there:
            waiting = [asyncio.create_task(here.get("/")) for _ in range(3)]
            waiting += [asyncio.create_task(here.get("/", headers=ANN)) for _ in range(3)]
            await asyncio.sleep(0.05)
            assert (await here.get("/")).status_code == 429
            waiting.append(asyncio.create_task(there.get("/")))
            await asyncio.sleep(0.05)
            opened.set()
            assert {(await each).status_code for each in waiting} == {200}
            assert (await here.get("/")).status_code == 200

    asyncio.run(all_at_once())


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)

    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    app = Starlette(routes=[Route("/", echo, methods=["POST"])])
    headers = [(b"host", b"localhost"), (b"content-length", b"9")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    guarded = Guard(app, Limits(hosts=frozenset(["localhost"])))
    asyncio.run(guarded({**scope, "query_string": b"", "client": ("192.0.2.1", 1)}, never, send))
    assert said[0]["status"] == 408


@pytest.mark.parametrize("path", ["/", "/nowhere", "/static/x.js"])
def test_every_answer_is_dressed(path: str) -> None:
    headers = client(frames="https://docs.example", secure=True).get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-src https://docs.example;" in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["strict-transport-security"]
    assert headers["cache-control"] == ("no-cache" if "static" in path else "no-store")
    plain = client().get(path).headers
    assert "strict-transport-security" not in plain
    assert "frame-src" not in plain["content-security-policy"]


def test_refusals_are_dressed_too() -> None:
    answer = client().get(IMPORT_FILE, headers={"Host": "evil.example"})
    assert answer.json()["code"] == "421"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
