"""What every request must pass: each limit holds, and each answer is dressed."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from leadline.web import guard
from leadline.web.guard import IMPORT, SMALL, Buckets, Guard, Limits, host_of
from tests.judging.room.rooms import Clock
from tests.web.visitors import asking


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def client(**limits: Any) -> httpx.Client:
    paths = ("/", "/sign-in", "/static/x.js", IMPORT)
    app = Starlette(routes=[Route(path, echo, methods=["GET", "POST"]) for path in paths])
    options = {"hosts": frozenset(["localhost"]), **limits}

    def known(headers: Headers) -> str | None:
        return "ann" if headers.get("authorization") == "Bearer ann" else None

    return asking(Guard(app, Limits(**options), known))


def test_a_bucket_fills_as_time_goes_by() -> None:
    clock = Clock()
    buckets = Buckets(rate=2.0, burst=3.0, clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    assert buckets.take("b")
    clock.now += 0.5
    assert [buckets.take("a") for _ in range(2)] == [True, False]
    clock.now += 1000
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]


def test_only_so_many_who_ask_are_remembered() -> None:
    buckets = Buckets(1.0, 1.0, Clock(), most=2)
    for key in "abc":
        buckets.take(key)
    assert list(buckets._left) == ["b", "c"]
    # The one forgotten begins anew.
    assert buckets.take("a")


@pytest.mark.parametrize(
    ("text", "host"),
    [("a.b:80", "a.b"), ("A.B", "a.b"), ("[::1]:80", "[::1]"), ("[::1]", "[::1]"), ("", "")],
)
def test_a_host_has_no_port(text: str, host: str) -> None:
    assert host_of(text) == host


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:99"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example"}, 421),
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


def test_any_name_will_do_where_everybody_signs_in() -> None:
    free = client(hosts=frozenset(["*"]))
    assert free.get("/", headers={"Host": "anything"}).status_code == 200


def test_bodies_have_a_size_announced_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "LARGE", 2 * SMALL)
    visitor = client()

    def pieces(n: int) -> Iterator[bytes]:
        yield from (b"x" * 1024 for _ in range(n))

    assert visitor.post("/", content=b"x" * SMALL).text == str(SMALL)
    assert visitor.post("/", content=b"x" * (SMALL + 1)).status_code == 413
    assert visitor.post("/", content=pieces(SMALL // 1024 + 1)).status_code == 413
    assert visitor.post(IMPORT, content=b"x" * (2 * SMALL)).status_code == 200
    assert visitor.post(IMPORT, content=pieces(2 * SMALL // 1024 + 1)).status_code == 413


def test_too_many_requests_wait_each_by_their_own_name() -> None:
    visitor = client(rate=0.001, burst=2.0)
    assert [visitor.get("/").status_code for _ in range(3)] == [200, 200, 429]
    assert visitor.get("/").headers["retry-after"] == "2"
    # A secret that was made up buys nothing; one of somebody who came in does.
    assert visitor.get("/", headers={"Authorization": "Bearer x"}).status_code == 429
    assert visitor.get("/", headers={"Authorization": "Bearer ann"}).status_code == 200


def test_guesses_wait_whatever_cookie_they_bring() -> None:
    visitor = client(sign_ins=2.0)
    codes = [visitor.post("/sign-in", headers={"Cookie": f"a={at}"}).status_code for at in range(3)]
    assert codes == [200, 200, 429]
    assert visitor.get("/sign-in").status_code == 200


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
    answer = client().get("/", headers={"Host": "evil.example"})
    assert answer.json()["code"] == "421"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
