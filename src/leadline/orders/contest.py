"""Who can still be best: every run's joint interval of the difference to the leader."""

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats
from leadline.tables.runs import Runs

EQUAL = 1e-12
"""A difference of less than this is none: sums of the same weights differ in their last digits."""


class Contest:
    """The leader and, for every run s, the largest that score_s - score_leader can still become.

    upper_s = base_s - base_L + (1/T) * sum over unjudged d of max(0, c_sd - c_Ld): an unjudged
    document that both return moves both scores. Tails beyond the lists' ends are left out, because
    no judgment can close them. Ties for the lead go to the run that was given first.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        holders = runs.postings
        self.n_runs, self.n_topics = runs.start.shape
        self.start, self.run = holders.start, holders.run
        deepest = int(holders.rank.max(initial=1))
        self.c: Floats = measure.weights(deepest)[holders.rank - 1]
        self.pair = np.repeat(np.arange(len(runs.pairs), dtype=np.int32), np.diff(self.start))
        self.judged: Bools = np.zeros(len(runs.pairs), np.bool_)
        self.base: Floats = np.zeros(self.n_runs)
        self.turns = 0
        self._lead(0)

    def _lead(self, leader: int) -> None:
        """Compare all runs with this one."""
        self.leader = leader
        self.turns += 1
        self.of_leader = np.zeros(len(self.judged))
        mine = self.run == leader
        self.of_leader[self.pair[mine]] = self.c[mine]
        above = np.maximum(self.c - self.of_leader[self.pair], 0.0)
        above[self.judged[self.pair]] = 0.0
        self.reach = np.bincount(self.run, weights=above, minlength=self.n_runs) / self.n_topics

    @property
    def upper(self) -> Floats:
        """The upper end of the joint interval of each run's difference to the leader."""
        ends: Floats = self.base - self.base[self.leader] + self.reach
        return ends

    @property
    def contenders(self) -> Bools:
        """Runs that may still turn out better than the leader."""
        may: Bools = self.upper > EQUAL
        may[self.leader] = False
        return may

    def tell(self, pair: int, gain: float) -> None:
        """A pair was judged."""
        if self.judged[pair]:
            return
        self.judged[pair] = True
        part = slice(self.start[pair], self.start[pair + 1])
        run, c = self.run[part], self.c[part]
        self.reach[run] -= np.maximum(c - self.of_leader[pair], 0.0) / self.n_topics
        self.base[run] += c * gain / self.n_topics
        if gain:
            self._look()

    def retract(self, pair: int, gain: float) -> None:
        """A pair that was judged, with this gain, is unjudged again."""
        if not self.judged[pair]:
            return
        self.judged[pair] = False
        part = slice(self.start[pair], self.start[pair + 1])
        run, c = self.run[part], self.c[part]
        self.reach[run] += np.maximum(c - self.of_leader[pair], 0.0) / self.n_topics
        self.base[run] -= c * gain / self.n_topics
        if gain:
            self._look()

    def _look(self) -> None:
        """Who leads now."""
        first = int(np.argmax(self.base >= self.base.max() - EQUAL))
        if first != self.leader:
            self._lead(first)
