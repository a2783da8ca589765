"""A time within which a database must answer; a connection that is late is cut off."""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

SECONDS = 10.0
LOOK_EVERY = 0.25


class Deadlines:
    """Watches the connections of an engine: a server that hangs is no reason to hang with it.

    The time runs anew with each statement, and is over when the answer is there. Cutting off means
    that the waiting thread gets an error, as if the server had gone.
    """

    def __init__(self, engine: Engine, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._due: dict[int, tuple[float, Any]] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        event.listen(engine, "checkout", self._checked_out)
        event.listen(engine, "checkin", lambda raw, record: self.met(raw))
        event.listen(engine, "before_cursor_execute", self._asked)
        event.listen(engine, "after_cursor_execute", self._answered)
        event.listen(engine, "commit", lambda connection: self.set(_raw(connection)))
        event.listen(engine, "rollback", lambda connection: self.set(_raw(connection)))

    def set(self, raw: Any) -> None:
        """An answer is waited for from now on."""
        with self._lock:
            self._due[id(raw)] = time.monotonic() + self.seconds, raw
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()

    def met(self, raw: Any) -> None:
        """The answer is there."""
        with self._lock:
            self._due.pop(id(raw), None)

    @contextlib.contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """A longer time, for what takes long by its nature."""
        usual, self.seconds = self.seconds, max(seconds, self.seconds)
        try:
            yield
        finally:
            self.seconds = usual

    def close(self) -> None:
        """Watch no more."""
        self._over.set()

    def _checked_out(self, raw: Any, record: Any, proxy: Any) -> None:
        self.set(raw)
        try:
            raw.execute("SELECT 1")
            raw.rollback()
        except Exception:
            raise DisconnectionError from None
        finally:
            self.met(raw)

    def _asked(self, connection: Any, *more: Any) -> None:
        self.set(_raw(connection))

    def _answered(self, connection: Any, *more: Any) -> None:
        self.met(_raw(connection))

    def _watch(self) -> None:
        while not self._over.wait(LOOK_EVERY):
            now = time.monotonic()
            with self._lock:
                late = [(key, raw) for key, (due, raw) in self._due.items() if due < now]
                for key, _ in late:
                    del self._due[key]
            for _, raw in late:
                _cut_off(raw)


def _raw(connection: Any) -> Any:
    return connection.connection.dbapi_connection


def _cut_off(raw: Any) -> None:
    with contextlib.suppress(Exception), socket.socket(fileno=os.dup(raw.pgconn.socket)) as door:
        door.shutdown(socket.SHUT_RDWR)
