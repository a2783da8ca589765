"""What each assessor has done, and how fast."""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from leadline.judging.ledger import Entry, Kind

RECENT = 20
LONGEST_PAUSE = 300.0
"""Seconds: longer between two judgments is a break, and no part of the pace."""


@dataclass
class Tally:
    """Counts of one assessor's acts in force, and the times of the last ones."""

    who: str
    kind: Kind = "person"
    judged: int = 0
    cannot_tell: int = 0
    skipped: int = 0
    undone: int = 0
    seconds: float = 0.0
    timed: int = 0
    times: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, entry: Entry) -> None:
        """One act more."""
        self._count(entry, 1)
        if entry.act in ("judge", "cannot tell"):
            self.add_time(entry.time)

    def add_time(self, time: str) -> None:
        """Count a judgment in the pace alone."""
        self.times.append(seconds_of(time))

    def take_back(self, entry: Entry) -> None:
        """An act was undone."""
        self._count(entry, -1)
        self.undone += 1

    def _count(self, entry: Entry, sign: int) -> None:
        if entry.act == "judge":
            self.judged += sign
        elif entry.act == "cannot tell":
            self.cannot_tell += sign
        elif entry.act == "skip":
            self.skipped += sign
        if entry.seconds is not None and entry.act in ("judge", "cannot tell"):
            self.seconds += sign * entry.seconds
            self.timed += sign

    @property
    def per_hour(self) -> float | None:
        """The pace of the last judgments, breaks left out; None before the second one."""
        times = list(self.times)
        pauses = [b - a for a, b in pairwise(times)]
        work = [pause for pause in pauses if 0 < pause <= LONGEST_PAUSE]
        return 3600 * len(work) / sum(work) if work else None

    @property
    def mean_seconds(self) -> float | None:
        """Time spent on a document."""
        return self.seconds / self.timed if self.timed else None


def seconds_of(time: str) -> float:
    """Return a time as seconds since 1970, 0 if it is none."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return 0.0
