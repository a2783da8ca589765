"""When the best runs become certain along a sequence of judgments.

The rules are those of the stops BestCertain and TopCertain. A rule that holds goes on holding,
because judging never widens an interval, so the first judgment after which it holds is found by
bisection; only what is looked at is computed.
"""

from collections.abc import Callable

import numpy as np

from leadline.judging.standings import top
from leadline.measures.weighted import Weighted
from leadline.orders.contest import EQUAL
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.runs import Runs


class Apart:
    """How far every run can rise above another while nothing is judged, mean over topics."""

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        holders = runs.postings
        self.n_runs, self.n_topics = runs.start.shape
        self.start, self.run = holders.start, holders.run
        deepest = int(holders.rank.max(initial=1))
        self.c: Floats = measure.weights(deepest)[holders.rank - 1]
        self.pair = np.repeat(np.arange(len(runs.pairs), dtype=np.int32), np.diff(self.start))
        length = runs.stop - runs.start
        self.tail: Floats = measure.tail(length.ravel()).reshape(length.shape).mean(axis=1)
        self._known: dict[int, Floats] = {}

    def __call__(self, reference: int) -> Floats:
        """For every run s, (1/T) * sum over all d of max(0, c_sd - c_ref,d)."""
        if reference not in self._known:
            of_reference = np.zeros(len(self.start) - 1)
            mine = self.run == reference
            of_reference[self.pair[mine]] = self.c[mine]
            above = np.maximum(self.c - of_reference[self.pair], 0.0)
            sums = np.bincount(self.run, weights=above, minlength=self.n_runs)
            self._known[reference] = sums / self.n_topics
        return self._known[reference]


class Trail:
    """Where all runs stand after each of these judgments.

    `weight[i, s]` is what judgment i weighs in run s; `base[n]` and `residual[n]` are the runs'
    means after n judgments, the residual with its tail.
    """

    def __init__(self, apart: Apart, pairs: Int64s, gain: Floats) -> None:
        self.apart = apart
        n = len(pairs)
        self.weight: Floats = np.zeros((n, apart.n_runs))
        for step, pair in enumerate(pairs.tolist()):
            part = slice(apart.start[pair], apart.start[pair + 1])
            self.weight[step, apart.run[part]] = apart.c[part]
        self.weight /= apart.n_topics
        nothing = np.zeros((1, apart.n_runs))
        self.base: Floats = np.concatenate([nothing, np.cumsum(self.weight * gain[:, None], 0)])
        self.residual: Floats = 1 - np.concatenate([nothing, np.cumsum(self.weight, 0)])

    def __len__(self) -> int:
        return len(self.weight)

    def upper(self, n: int, reference: int) -> Floats:
        """The most that each run's difference to the reference can become, after n judgments."""
        closed = np.maximum(self.weight[:n] - self.weight[:n, [reference]], 0.0).sum(axis=0)
        ends: Floats = self.base[n] - self.base[n, reference] + self.apart(reference) - closed
        return ends

    def contenders(self, n: int) -> Bools:
        """Runs that may still turn out better than the leader, by joint intervals."""
        base = self.base[n]
        leader = int(np.argmax(base >= base.max() - EQUAL))
        may: Bools = self.upper(n, leader) > EQUAL
        may[leader] = False
        return may

    def certain(self, n: int, k: int, joint: bool) -> bool:
        """Whether the best k are certain as a set after n judgments."""
        base = self.base[n]
        if joint and k == 1 and not self.contenders(n).any():
            return True
        ceiling = base + self.residual[n] - (self.apart.tail if joint else 0.0)
        best = top(base, ceiling, k)
        if best.all() or not joint:
            return bool(best.all() or ceiling[~best].max() <= base[best].min() + EQUAL)
        # The worst of the best is the likeliest to be reached, so it is asked first.
        order = np.flatnonzero(best)[np.argsort(base[best], kind="stable")]
        return all((self.upper(n, int(each))[~best] <= EQUAL).all() for each in order)

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
