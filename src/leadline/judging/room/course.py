"""How a session went: who could still be best after each judgment, and what is judged."""

from dataclasses import dataclass, field

import numpy as np

from leadline.judging.session import Session
from leadline.tables.arrays import Int64s

DEPTHS = (1, 5, 10, 20, 50, 100)
"""Ranks up to which the judged share is counted."""


@dataclass(frozen=True)
class Point:
    """After so many judgments: how many runs may still overtake the leader."""

    judged: int
    contenders: int


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
        standing = self.session.standing
        contenders = int(standing.contest.contenders.sum())
        self.points.append(Point(len(standing.judged), contenders))

    def falling(self, most: int = 300) -> list[Point]:
        """At most so many points of the course, the last one among them."""
        n = len(self.points)
        if n <= most:
            return list(self.points)
        chosen = np.unique(np.linspace(0, n - 1, most).astype(int))
        return [self.points[at] for at in chosen.tolist()]
