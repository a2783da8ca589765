"""One at a time inside a room, and nobody waits long at its door."""

import threading
import time
from types import TracebackType

LONGEST_WAIT = 3.0


class Unavailable(Exception):
    """The room cannot answer now; whether something was written is not known. Ask again soon."""


class RoomLock:
    """A lock that a thread may take again; an Unavailable for one who would wait too long.

    Whoever is inside may wait for a database that hangs. If everybody waited with them, no thread
    would be left to say so.
    """

    def __init__(self, longest: float = LONGEST_WAIT) -> None:
        self.longest = longest
        self._lock = threading.RLock()
        self._depth = 0
        self._since = time.monotonic()

    def __enter__(self) -> "RoomLock":
        waited = time.monotonic() - self._since if self._depth else 0.0
        if not self._lock.acquire(timeout=max(0.05, self.longest - waited)):
            raise Unavailable("the room is busy: its database is slow, or much is imported")
        if not self._depth:
            self._since = time.monotonic()
        self._depth += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._depth -= 1
        self._lock.release()
