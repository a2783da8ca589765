"""How a session went: who could still be best after each judgment, and how far the end is."""

from dataclasses import dataclass, field

import numpy as np

from leadline.judging.session import Session
from leadline.tables.arrays import Int64s

DEPTHS = (1, 5, 10, 20, 50, 100)
"""Ranks up to which the judged share is counted."""

LEAST = 10
"""Judgments over which progress is looked at, at least; a fifth of all if that is more."""


@dataclass(frozen=True)
class Point:
    """After so many judgments: how many runs may still overtake the leader, and what is missing."""

    judged: int
    contenders: int
    distance: float | None


@dataclass
class Course:
    """Kept current one judgment at a time."""

    session: Session
    points: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        runs = self.session.runs
        self.depths = [d for d in DEPTHS if d <= max(1, int(runs.length.max(initial=1)))]
        size = [np.minimum(runs.length, depth).sum(axis=1) for depth in self.depths]
        self.size: Int64s = np.stack(size, axis=1)
        self.judged: Int64s = np.zeros_like(self.size)
        for pair in self.session.judged.grade:
            self._count(pair, 1)
        self._look()

    def _count(self, pair: int, sign: int) -> None:
        holders = self.session.runs.postings
        part = slice(holders.start[pair], holders.start[pair + 1])
        run, rank = holders.run[part], holders.rank[part]
        self.judged[run] += sign * (rank[:, None] <= np.array(self.depths))

    def note(self, pair: int, sign: int) -> None:
        """A pair was judged, or its judgment taken back if the sign is negative."""
        self._count(pair, sign)
        self._look()

    def _look(self) -> None:
        standing, stop = self.session.standing, self.session.stop
        contenders = int(standing.contest.contenders.sum())
        distance = None if stop is None else stop.distance(standing)
        self.points.append(Point(len(standing.judged), contenders, distance))

    def to_go(self) -> int | None:
        """Judgments until the rule says stop: known for a budget, else by the pace of late.

        None where there is no rule, or where nothing has come nearer of late.
        """
        session, stop = self.session, self.session.stop
        if stop is None:
            return None
        if stop.reason(session.standing) is not None:
            return 0
        left = stop.left(session.standing)
        now = self.points[-1]
        if now.distance is None:
            return left
        span = max(LEAST, now.judged // 5)
        then = next((p for p in reversed(self.points) if p.judged <= now.judged - span), None)
        if then is None or then.distance is None or then.distance <= now.distance:
            return left
        pace = (then.distance - now.distance) / (now.judged - then.judged)
        forecast = max(1, int(np.ceil(now.distance / pace)))
        return forecast if left is None else min(left, forecast)

    def falling(self, most: int = 300) -> list[Point]:
        """At most so many points of the course, the last one among them."""
        n = len(self.points)
        if n <= most:
            return list(self.points)
        chosen = np.unique(np.linspace(0, n - 1, most).astype(int))
        return [self.points[at] for at in chosen.tolist()]
