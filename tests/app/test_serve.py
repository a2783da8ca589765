"""Where it listens, and who may come in there."""

import contextlib
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import uvicorn

from leadline.app import serve
from leadline.app.opening import open_project
from leadline.app.serve import (
    Options,
    check_address,
    check_reach,
    configured,
    guarded,
    is_loopback,
    listen,
    make_site,
)
from leadline.app.site import Site
from leadline.judging.library import Library
from tests.app.projects import small
from tests.app.server import serving, tokens, with_token
from tests.app.visitors import asking


def test_listening_elsewhere_demands_accounts() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("192.0.2.1")
    assert not is_loopback("example.org")


@pytest.mark.parametrize(
    ("options", "is_open"),
    [
        (Options(), True),
        (Options(host="::1"), True),
        (Options(accounts=True), False),
        (Options(host="0.0.0.0"), False),
        (Options(address="https://judge.example"), False),
    ],
)
def test_without_sign_in_only_on_this_machine(
    tmp_path: Path, options: Options, is_open: bool
) -> None:
    judging = open_project(small(tmp_path / "p"))
    site = make_site(judging, options)
    assert bool(site.owner) == is_open
    assert site.secure == options.address.startswith("https")
    judging.close()


@pytest.mark.parametrize(
    ("options", "address"),
    [
        (Options(port=9), "http://127.0.0.1:9"),
        (Options(host="::1", port=9), "http://[::1]:9"),
        (Options(address="https://judge.example/"), "https://judge.example"),
    ],
)
def test_the_address_is_one_that_others_can_use(site: Site, options: Options, address: str) -> None:
    assert make_site(site.judging, options).address == address


def test_two_servers_on_one_machine_have_cookies_of_their_own(site: Site) -> None:
    first, second = (make_site(site.judging, Options(port=port)) for port in (8000, 8001))
    assert first.cookie != second.cookie


def test_only_names_that_lead_here_are_answered(site: Site, alone: Site) -> None:
    hosts = guarded(alone, Options()).limits.hosts
    assert hosts == {"localhost", "127.0.0.1", "::1"}
    behind = Options(address="https://judge.example")
    hosts = guarded(make_site(site.judging, behind), behind).limits.hosts
    assert "judge.example" in hosts


def test_documents_at_an_address_may_be_framed_and_nothing_else(site: Site) -> None:
    assert guarded(site, Options()).limits.frames == ""
    site.judging.library = Library(address="https://docs.example:8/x/{doc}?y")
    assert guarded(site, Options()).limits.frames == "https://docs.example:8"


@pytest.mark.parametrize(
    ("proxy", "counted"),
    [("", "127.0.0.1"), ("127.0.0.1", "192.0.2.9"), ("10.0.0.0/8", "127.0.0.1")],
)
def test_where_a_request_comes_from_is_believed_of_the_named_proxy_only(
    site: Site, proxy: str, counted: str
) -> None:
    config = configured([site], Options(proxy=proxy))
    asked: list[str] = []
    config.app.rates.wait = lambda item, key, count=True: asked.append(key) or 0.0  # type: ignore[union-attr]
    config.load()
    asking(config.loaded_app).get("/sign-in", headers={"X-Forwarded-For": "1.2.3.4, 192.0.2.9"})
    assert asked == [counted]


def test_a_proxy_is_named_by_its_address() -> None:
    for good in ("", "127.0.0.1", "10.0.0.0/8, ::1"):
        check_reach(Options(proxy=good))
    with pytest.raises(ValueError, match=r"such as 127\.0\.0\.1"):
        check_reach(Options(proxy="127.0.0.1,nginx"))


def test_answers_are_sent_at_once() -> None:
    door = listen("127.0.0.1", 0)
    # asyncio sets TCP_NODELAY where the protocol is named, and not where it is 0.
    assert door.proto == socket.IPPROTO_TCP
    door.close()


def test_a_port_that_is_taken_or_none_is_said() -> None:
    first = listen("127.0.0.1", 0)
    port = first.getsockname()[1]
    with pytest.raises(ValueError, match=f"cannot listen on 127.0.0.1, port {port}"):
        listen("127.0.0.1", port)
    first.close()
    with pytest.raises(ValueError, match="cannot listen"):
        listen("127.0.0.1", 70_000)
    with pytest.raises(ValueError, match="cannot listen"):
        listen("192.0.2.1", 0)


def test_others_reach_it_only_through_a_proxy() -> None:
    check_reach(Options())
    address = "https://judge.example"
    check_reach(Options(host="0.0.0.0", proxy="10.0.0.0/8", address=address))
    for missing in (Options(), Options(proxy="10.0.0.0/8"), Options(address=address)):
        with pytest.raises(ValueError, match="--behind-proxy"):
            check_reach(replace(missing, host="0.0.0.0"))


@pytest.mark.parametrize("address", ["", "http://judge.example", "https://judge.example:8/"])
def test_an_address_is_scheme_and_host(address: str) -> None:
    check_address(address)
    for more in ("judge", "a/b", "?x=1", "#x"):
        with pytest.raises(ValueError, match="--address"):
            check_address(f"{address.rstrip('/')}/{more}")


def raw(address: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), 10)


def test_a_body_of_nobody_is_refused_before_it_comes(project: Path) -> None:
    with serving(project, "--accounts") as server:
        for path in ("/api/import/file?format=qrels&by=x", "/api/judgments", "/api/nowhere"):
            with raw(server.address) as one:
                head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n"
                one.sendall(f"{head}Content-Length: 104857600\r\n\r\n".encode())
                assert one.recv(1000).startswith(b"HTTP/1.1 401 "), path


def test_the_way_to_import_that_read_before_it_asked_is_gone(project: Path) -> None:
    token = tokens(project, ["boss"], role="organiser")["boss"]
    with serving(project, "--accounts") as server, with_token(server.address, token) as boss:
        assert boss.post("/api/import", json=[{}]).status_code == 404
        assert httpx.post(f"{server.address}/api/import", json=[{}]).status_code == 401


def test_connections_that_say_or_read_nothing_are_ended(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging = open_project(project)
    monkeypatch.setattr(serve, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(serve, "DRAIN_SECONDS", 0.3)
    monkeypatch.setattr(serve, "MOST_CONNECTIONS", 8)
    server = uvicorn.Server(configured([make_site(judging, Options())], Options()))
    door = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{door.getsockname()[1]}"
    try:
        with (
            raw(address) as silent,
            raw(address) as half,
            raw(address) as second,
            raw(address) as deaf,
        ):
            half.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            second.sendall(b"GET /static/none HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert second.recv(10_000)
            second.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            asked = b"GET /static/organise.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
            deaf.sendall(asked * 400)
            for each in (silent, half, second):
                each.settimeout(5)
                with contextlib.suppress(ConnectionResetError):
                    while each.recv(10_000):
                        pass
            end = time.monotonic() + 10
            while server.server_state.connections and time.monotonic() < end:
                time.sleep(0.05)
            assert not server.server_state.connections
        # Beyond so many it says at once that it can do no more, and goes on when they are gone.
        with contextlib.ExitStack() as held:
            for _ in range(8):
                held.enter_context(raw(address))
            assert httpx.get(f"{address}/static/icon.svg").status_code == 503
        time.sleep(0.5)
        assert httpx.get(f"{address}/static/icon.svg").status_code == 200
    finally:
        server.should_exit = True
        thread.join(10)
        judging.close()
