"""Measures that are estimated from a sample of the pool, each with a standard error."""

from abc import abstractmethod

import numpy as np

from leadline.measures.measure import Interval, Measure
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Block, Lists
from leadline.tables.sampling import Sampling
from leadline.tables.scores import OverTopics, Scores

Estimate = tuple[Floats, Floats]
"""Value and variance: one number a list."""


class SampledMeasure(Measure):
    """What the measure would be had all of the pool been judged; documents outside count nothing.

    The variance is that of drawing the sample again, by the jackknife: sum over the judged
    documents of (1 - inclusion) * d^2, where d is what the estimate would lose without the
    document; all of it where it would not be defined. Draws are taken to be independent of each
    other, or to be of a fixed number from each stratum where the estimate counts by stratum.
    """

    needs = "sampling"
    bounded = False

    @abstractmethod
    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """Value and variance of each list in the block."""

    @property
    def totals(self) -> OverTopics:
        """What the row `all` has of it."""
        return self.over_topics

    def doubt(self, sampling: Sampling) -> str | None:
        """Why the estimate should not be trusted on documents drawn like this, if so."""
        return None

    def interval(self, block: Block, max_grade: int) -> Interval:
        """An estimate has no interval that is certain."""
        raise TypeError(f"{self} is estimated from a sample: call score")

    def score(self, lists: Lists) -> Scores:
        """The estimate for every run on every topic, with its standard error."""
        lists = lists.sampled()
        sampling = lists.sampling
        assert sampling is not None
        value, variance, judged = (np.full(lists.start.size, np.nan) for _ in range(3))
        for block in lists.blocks(self.depth):
            judged[block.row] = self.share_judged(block)
            value[block.row], variance[block.row] = self.estimate(block, sampling)
        # A variance of nothing may come out a little below 0.
        error = np.sqrt(np.maximum(variance, 0.0))
        return Scores.of_lists(
            lists,
            str(self),
            value,
            judged,
            obtained="estimated",
            error=error,
            over_topics=self.totals,
        )


def ratio(above: Floats, below: Floats) -> Floats:
    """One over the other, 0 where nothing is left below but what rounding leaves."""
    above, below = np.broadcast_arrays(above, below)
    share: Floats = np.divide(above, below, out=np.zeros(above.shape), where=below > 1e-9)
    return share


def sums_by(row: Int64s, amount: Floats, n: int) -> Floats:
    """The sum of the amounts of each row, from left to right."""
    sums = np.bincount(row, weights=amount, minlength=n)
    # Of nothing, numpy makes whole numbers.
    return sums.astype(np.float64, copy=False)
