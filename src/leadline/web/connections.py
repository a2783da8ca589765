"""Connections to the server: no more than it can hold, and none that says nothing for long."""

import asyncio
import logging
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""Within which a request must have been begun and said what it wants."""

MOST = 800
LINES_A_MINUTE = 30


def most_connections() -> int:
    """How many the system lets us have, files and databases left out."""
    try:
        import resource
    except ImportError:
        return MOST // 2
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST
    if soft < wanted and (hard >= wanted or hard == resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return min(MOST, soft // 2) if soft > 0 else MOST


class Connections:
    """Those that are open. When there are too many, the one that has waited longest goes.

    One that has not yet said what it wants goes before one that was answered: however many come
    and say nothing, those who are at work keep their connection.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.open: set[Connection] = set()
        self.silent: dict[Connection, None] = {}
        self.idle: dict[Connection, None] = {}

    def add(self, new: "Connection") -> None:
        """Make room for one more; none that is being answered is cut off for it."""
        self.open.add(new)
        others = self.silent or self.idle
        self.silent[new] = None
        if len(self.open) > self.most:
            next(iter(others), new).drop()

    def is_waiting(self, one: "Connection") -> bool:
        """Whether nothing is being answered there."""
        return one in self.silent or one in self.idle

    def busy(self, one: "Connection") -> None:
        """It is being answered."""
        self.silent.pop(one, None)
        self.idle.pop(one, None)

    def answered(self, one: "Connection") -> None:
        """It was answered, and may ask more."""
        self.idle[one] = None

    def discard(self, gone: "Connection") -> None:
        """One less."""
        self.open.discard(gone)
        self.busy(gone)


class Connection(H11Protocol):
    """One of them: waiting until a request has come, busy until it is answered."""

    held: Connections
    head_seconds = HEAD_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._timer: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self.held.add(self)
        self._wait()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()
            self.held.busy(self)
        elif self.held.is_waiting(self) and self._timer is None:
            # The next request begins, and may not take longer than the first one.
            self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self.held.answered(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.held.discard(self)
        super().connection_lost(exc)

    def drop(self) -> None:
        """Let go of it now."""
        self.held.discard(self)
        self.transport.abort()

    def _wait(self) -> None:
        self._timer = self.loop.call_later(self.head_seconds, self.drop)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def protocol(held: Connections) -> type[Connection]:
    """Connections of one server."""
    made: dict[str, Any] = {"held": held}
    return type("ServedConnection", (Connection,), made)


class FewLines(logging.Filter):
    """So many lines a minute: nobody fills a disk by sending nonsense."""

    def __init__(self, most: int = LINES_A_MINUTE) -> None:
        super().__init__()
        self.most = most
        self._minute, self._written, self._left_out = -1, 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this line is written; the first one of a minute says how many were not."""
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            if self._left_out:
                record.msg = f"{record.getMessage()} ({self._left_out:,} lines were left out)"
                record.args = ()
            self._minute, self._written, self._left_out = minute, 0, 0
        self._written += 1
        if self._written > self.most:
            self._left_out += 1
            return False
        return True
