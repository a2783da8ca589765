"""Where the runs stand after some judgments, kept current one judgment at a time."""

from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Floats
from leadline.data.runs import Runs
from leadline.measures.weighted import Weighted
from leadline.orders.contest import EQUAL, Contest
from leadline.orders.holdings import Holdings


class Standing:
    """Own intervals, joint intervals with the leader, and who can still be best.

    What costs time is made only when it is first asked for, and then kept current.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        self.runs, self.measure = runs, measure
        self.told: dict[int, float] = {}

    def tell(self, pair: int, gain: float) -> None:
        """A pair was judged."""
        if pair in self.told:
            return
        self.told[pair] = gain
        for part in ("holdings", "contest"):
            if part in self.__dict__:
                self._tell(self.__dict__[part], pair, gain)
        for rival in self._rivals.values():
            rival.tell(pair)

    @staticmethod
    def _tell(part: Holdings | Contest, pair: int, gain: float) -> None:
        if isinstance(part, Contest):
            part.tell(pair, gain)
        else:
            part.close(pair)
            part.add(pair, gain)

    @cached_property
    def holdings(self) -> Holdings:
        """Each run's own base and residual."""
        made = Holdings(self.runs, self.measure)
        for pair, gain in self.told.items():
            self._tell(made, pair, gain)
        return made

    @cached_property
    def contest(self) -> Contest:
        """Every run against the leader."""
        made = Contest(self.runs, self.measure)
        for pair, gain in self.told.items():
            self._tell(made, pair, gain)
        return made

    @cached_property
    def tail(self) -> Floats:
        """Weight beyond the end of the lists, mean over topics: open for ever."""
        length = self.runs.stop - self.runs.start
        tails: Floats = self.measure.tail(length.ravel()).reshape(length.shape).mean(axis=1)
        return tails

    @cached_property
    def _rivals(self) -> "dict[int, Rival]":
        return {}

    def rival(self, reference: int) -> "Rival":
        """Every run against this one."""
        if reference not in self._rivals:
            self._rivals[reference] = Rival(self, reference)
        return self._rivals[reference]

    def by_own_intervals(self, k: int = 1) -> bool:
        """Whether the best k are certain: none of the others can reach the worst of them."""
        held = self.holdings
        best = top(held.mean_base, k)
        if best.all():
            return True
        upper = held.mean_base + held.mean_residual
        return bool(upper[~best].max() <= held.mean_base[best].min() + EQUAL)

    def by_joint_intervals(self, k: int = 1) -> bool:
        """The same by the joint intervals of all differences between the best k and the others."""
        if k == 1:
            return not self.contest.contenders.any()
        base = self.contest.base
        best = top(base, k)
        for reference in np.flatnonzero(best):
            reach = self.rival(int(reference)).reach
            if (base[~best] - base[reference] + reach[~best] > EQUAL).any():
                return False
        return True


def top(base: Floats, k: int) -> Bools:
    """The k runs with the highest base; ties go to the run that was given first."""
    chosen = np.zeros(len(base), np.bool_)
    chosen[np.argsort(-base, kind="stable")[:k]] = True
    return chosen


class Rival:
    """How far every run can still rise against one that stays the same."""

    def __init__(self, standing: Standing, reference: int) -> None:
        contest = standing.contest
        self.contest = contest
        self.of_reference = np.zeros(len(contest.judged))
        mine = contest.run == reference
        self.of_reference[contest.pair[mine]] = contest.c[mine]
        above = np.maximum(contest.c - self.of_reference[contest.pair], 0.0)
        above[contest.judged[contest.pair]] = 0.0
        sums = np.bincount(contest.run, weights=above, minlength=contest.n_runs)
        self.reach: Floats = sums / contest.n_topics

    def tell(self, pair: int) -> None:
        """A pair was judged, whatever its grade."""
        contest = self.contest
        part = slice(contest.start[pair], contest.start[pair + 1])
        above = np.maximum(contest.c[part] - self.of_reference[pair], 0.0)
        self.reach[contest.run[part]] -= above / contest.n_topics
