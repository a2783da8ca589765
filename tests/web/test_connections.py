"""Connections that say nothing are dropped, too many push out the idlest, and logs stay short."""

import contextlib
import logging
import resource
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from leadline.web.connections import Connection, Connections, FewLines, most_connections
from tests.judging.room.projects import small
from tests.web.fort import closing_server
from tests.web.server import Server, start, tokens, with_token

BEGUN = b"POST /api/next HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le"


@contextlib.contextmanager
def half_open(server: Server, n: int) -> Iterator[list[socket.socket]]:
    """So many who begin to say something and never end."""
    host, port = server.address.removeprefix("http://").split(":")
    found: list[socket.socket] = []
    try:
        for at in range(n):
            made = socket.create_connection((host, int(port)), timeout=30)
            found.append(made)
            if at % 2:
                with contextlib.suppress(OSError):
                    made.sendall(BEGUN)
        yield found
    finally:
        for each in found:
            each.close()


def is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def is_answered_there(connection: HTTPConnection) -> None:
    """On this connection: it is never made anew."""
    if connection.sock is None:
        connection.connect()
    connection.auto_open = False
    connection.request("GET", "/sign-in")
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200


def besiege(tmp_path: Path, files: int, n: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, n + 200)), hard))
    folder = small(tmp_path / "p", order="MethodA(p=0.8)", stop="")
    secret = tokens(folder, ["ann"])["ann"]
    with (
        closing_server(start(folder, "--accounts", files=files)) as server,
        with_token(server.address, secret) as ann,
        contextlib.closing(HTTPConnection(server.address.removeprefix("http://"))) as at_work,
        contextlib.ExitStack() as stack,
    ):
        is_answered_there(at_work)
        silent = stack.enter_context(half_open(server, n))
        is_answered_there(at_work)
        for _ in range(10):
            with httpx.Client(base_url=server.address, timeout=10) as fresh:
                assert fresh.get("/sign-in").status_code == 200
            assert ann.post("/api/next").status_code == 200
        end = time.monotonic() + 60
        while not all(is_closed(each) for each in silent):
            assert time.monotonic() < end, "connections that say nothing are still open"
            time.sleep(0.2)
        assert ann.post("/api/next").status_code == 200
        assert len(server.said()) < 10_000


@pytest.mark.skipif(not Path("/usr/bin/prlimit").exists(), reason="needs prlimit")
def test_more_who_say_nothing_than_there_are_files_stop_nobody(tmp_path: Path) -> None:
    besiege(tmp_path, 256, 300)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/usr/bin/prlimit").exists(), reason="needs prlimit")
def test_eleven_hundred_who_say_nothing_stop_nobody(tmp_path: Path) -> None:
    besiege(tmp_path, 1024, 1100)


def test_nonsense_does_not_fill_the_log(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", order="MethodA(p=0.8)", stop="")
    with closing_server(start(folder)) as server:
        host, port = server.address.removeprefix("http://").split(":")
        before = len(server.said().splitlines())
        for _ in range(120):
            with socket.create_connection((host, int(port)), timeout=30) as made:
                made.sendall(b"\x00nonsense\r\n\r\n")
                made.recv(100)
        assert len(server.said().splitlines()) - before <= 60


class Idle:
    """Stands for a connection."""

    def __init__(self, held: Connections) -> None:
        self.held, self.dropped = held, False

    def drop(self) -> None:
        self.held.discard(self)  # type: ignore[arg-type]
        self.dropped = True


def test_one_too_many_pushes_out_who_waited_longest_and_none_that_is_busy() -> None:
    held = Connections(2)
    busy, old, new, newest = (Idle(held) for _ in range(4))
    for each in (busy, old, new):
        held.add(each)  # type: ignore[arg-type]
        held.busy(busy)  # type: ignore[arg-type]
    assert [each.dropped for each in (busy, old, new)] == [False, True, False]
    held.busy(new)  # type: ignore[arg-type]
    held.add(newest)  # type: ignore[arg-type]
    assert newest.dropped, "all others are being answered"


def test_who_was_answered_stays_before_those_who_have_said_nothing() -> None:
    held = Connections(3)
    at_work, *silent = (Idle(held) for _ in range(6))
    held.add(at_work)  # type: ignore[arg-type]
    held.busy(at_work)  # type: ignore[arg-type]
    held.answered(at_work)  # type: ignore[arg-type]
    for each in silent:
        held.add(each)  # type: ignore[arg-type]
    assert not at_work.dropped
    assert [each.dropped for each in silent] == [True, True, True, False, False]
    for each in silent[-2:]:
        held.busy(each)  # type: ignore[arg-type]
    held.add(Idle(held))  # type: ignore[arg-type]
    assert at_work.dropped, "nobody else can go"


def test_as_many_as_the_system_allows_and_a_request_has_seconds() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert 0 < most_connections() < max(soft, 1600)
    assert Connection.head_seconds <= 15


def test_so_many_lines_a_minute_and_then_how_many_were_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now: dict[str, float] = {"at": 0.0}
    monkeypatch.setattr("leadline.web.connections.time.monotonic", lambda: now["at"])
    few, record = FewLines(2), _record
    assert [few.filter(record()) for _ in range(5)] == [True, True, False, False, False]
    now["at"] = 61.0
    last = record()
    assert few.filter(last)
    assert last.getMessage() == "said 1 (3 lines were left out)"


def _record() -> Any:
    return logging.LogRecord("x", logging.WARNING, "", 0, "said %d", (1,), None)
