"""When the best runs become certain along a sequence of judgments.

The rules are those of the stops BestCertain and TopCertain. A rule that holds goes on holding,
because judging never widens an interval, so the first judgment after which it holds is found by
bisection; only what is looked at is computed.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from leadline.intervals.best_runs import best_runs, gap_below, out_of_reach
from leadline.intervals.entry_weights import EntryWeights
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.runs import Runs
from leadline.tables.scores import SCORE_NOISE


class BeforeJudging(EntryWeights):
    """Runs of which nothing is judged: tails, and how far every run can rise above another."""

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        super().__init__(runs, measure)
        shape = runs.length.shape
        self.tail: Floats = measure.tail(runs.length.ravel()).reshape(shape).mean(axis=1)
        self.above: Callable[[int], Floats] = cache(lambda run: self.surplus(self.of_run(run)))


class Trail:
    """Where all runs stand after each of these judgments.

    `weight[i, s]` is what judgment i weighs in run s; `base[n]` and `residual[n]` are the runs'
    means after n judgments, the residual with its tail.
    """

    def __init__(self, start: BeforeJudging, pairs: Int64s, gain: Floats) -> None:
        self.start = start
        self.weight: Floats = np.zeros((len(pairs), start.n_runs))
        for step, pair in enumerate(pairs.tolist()):
            run, c = start.of(pair)
            self.weight[step, run] = c
        self.weight /= start.n_topics
        nothing = np.zeros((1, start.n_runs))
        self.base: Floats = np.concatenate([nothing, np.cumsum(self.weight * gain[:, None], 0)])
        self.residual: Floats = 1 - np.concatenate([nothing, np.cumsum(self.weight, 0)])

    def __len__(self) -> int:
        return len(self.weight)

    def upper(self, n: int, reference: int) -> Floats:
        """The most that each run's difference to the reference can become, after n judgments."""
        closed = np.maximum(self.weight[:n] - self.weight[:n, [reference]], 0.0).sum(axis=0)
        above = self.start.above(reference) - closed
        ends: Floats = self.base[n] - self.base[n, reference] + above
        return ends

    def contenders(self, n: int) -> Bools:
        """Runs that may still turn out better than the leader, by joint intervals."""
        base = self.base[n]
        leader = self.start.runs.first_by_name(base >= base.max() - SCORE_NOISE)
        may: Bools = self.upper(n, leader) > SCORE_NOISE
        may[leader] = False
        return may

    def certain(self, n: int, k: int, joint: bool) -> bool:
        """Whether the best k are certain as a set after n judgments."""
        base = self.base[n]
        if joint and k == 1 and not self.contenders(n).any():
            return True
        ceiling = base + self.residual[n] - (self.start.tail if joint else 0.0)
        best = best_runs(self.start.runs, base, ceiling, k)
        if not joint:
            return gap_below(base, ceiling, best) <= SCORE_NOISE
        return out_of_reach(base, ceiling, best, lambda run: self.upper(n, run))

    def judgments_until(self, k: int, joint: bool) -> int | None:
        """The number of judgments after which the best k are first certain; None if never."""
        return first(lambda n: self.certain(n, k, joint), len(self))


def first(holds: Callable[[int], bool], last: int) -> int | None:
    """The least n from 0 to last at which something holds that never ceases to hold.

    >>> first(lambda n: n * n >= 50, 100), first(lambda n: False, 100)
    (8, None)
    """
    if not holds(last):
        return None
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
