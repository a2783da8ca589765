"""When the next ask may go out: so many a minute, and none while the endpoint wants a rest."""

import asyncio
import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_BACKOFF = 60.0
LONGEST_REST = 600.0
"""Seconds that an endpoint may ask us to wait; beyond, the user is told and decides."""


class Pace:
    """The gate that all asks pass, one after the other."""

    def __init__(self, per_minute: float | None = None, backoff: float = 0.5) -> None:
        self.gap = 0.0 if per_minute is None else 60.0 / per_minute
        self.backoff = backoff
        self._next = 0.0
        self._chance = random.Random()

    async def turn(self) -> None:
        """Wait until an ask may go out."""
        while (wait := self._next - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        self._next = time.monotonic() + self.gap

    def rest(self, seconds: float) -> None:
        """No ask goes out for so long."""
        self._next = max(self._next, time.monotonic() + seconds)

    def after(self, failures: int) -> float:
        """Seconds to wait after so many failures: twice as long each time, a part of it chance."""
        longest = min(LONGEST_BACKOFF, self.backoff * 2.0 ** min(failures - 1, 30))
        return longest * self._chance.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that an answer asks us to wait; None if it does not say.

    >>> retry_after({"retry-after": "7"})
    7.0
    >>> retry_after({"retry-after": "soon"}) is None
    True
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
