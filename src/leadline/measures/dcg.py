"""Discounted cumulative gain, plain and normalised, with bounds although the ideal can grow."""

from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.lists import Block, cells_of
from leadline.measures.measure import (
    Gains,
    Interval,
    Measure,
    Weighted,
    at_least,
    gain_table,
    graded_sums,
    measures,
    scale,
)


def discounts(n: int) -> Floats:
    """1 / log2(rank + 1) for ranks 1 to n."""
    weights: Floats = 1 / np.log2(np.arange(2, n + 2))
    return weights


@measures.register
@dataclass(frozen=True)
class DCG(Weighted):
    """Sum of gains over ranks, discounted by the logarithm of the rank.

    Formula: DCG@k = sum_{i<=k} gain_i / log2(i + 1)

    Ranks beyond the list's end are closed; its weights have no finite sum, so without @k there is
    no tail either. A topic without relevant documents scores 0.

    >>> DCG(k=3).sketch("2 ? 0 1")
    '2.0000 [2.0000, 3.2619]'

    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002.
    """

    k: int | None = None
    rel: int = 1
    gains: Gains = "grade"
    max_grade: int | None = None
    judged_only: bool = False

    def weights(self, n: int) -> Floats:
        """1 / log2(i + 1), 0 beyond k."""
        weights = discounts(n)
        if self.k is not None:
            weights[self.k :] = 0
        return weights


@measures.register
@dataclass(frozen=True)
class SDCG(Weighted):
    """Discounted cumulative gain with its k weights scaled to sum to 1.

    Formula: SDCG@k = sum_{i<=k} gain_i / log2(i + 1) / sum_{i<=k} 1 / log2(i + 1)

    Unlike nDCG it needs no ideal, so its interval is exact and it compares across topics of any
    number of relevant documents. Ranks beyond the list's end are closed. A topic without relevant
    documents scores 0.

    >>> SDCG(k=2).sketch("1 ? 0")
    '0.6131 [0.6131, 1.0000]'
    """

    k: int
    rel: int = 1
    gains: Gains = "binary"
    max_grade: int | None = None
    judged_only: bool = False

    def weights(self, n: int) -> Floats:
        """Scaled discounts, 0 beyond k."""
        weights: Floats = discounts(max(n, self.k)) / discounts(self.k).sum()
        weights[self.k :] = 0
        return weights[:n]


MANY_GRADES = 255
"""From there on grades that nobody gave are not gone through one by one."""


@measures.register
@dataclass(frozen=True)
class nDCG(Measure):
    """Discounted cumulative gain divided by that of the ideal list of judged documents.

    Formula: nDCG@k = DCG@k / IDCG@k, IDCG from all judged documents of the topic, best first

    Counting unjudged documents as non-relevant is not a lower bound, because the ideal can grow.
    The lower end gives k unseen documents the best grade; without @k unseen ones may be many and it
    is 0. The upper end is the exact maximum over all grades of the listed unjudged documents: see
    docs/methods/ndcg.md. Undefined on a topic without relevant documents.

    >>> nDCG(k=2).sketch("1 ? 0", elsewhere="1")
    '0.6131 [0.6131, 1.0000]'
    >>> nDCG(k=2).sketch("1 0 ?", elsewhere="2")
    '0.3801 [0.3066, 0.3801]'

    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002.
    """

    k: int | None = None
    rel: int = 1
    gains: Gains = "grade"
    max_grade: int | None = None
    judged_only: bool = False

    @property
    def numerator(self) -> DCG:
        """DCG of the same gains."""
        return DCG(self.k, self.rel, self.gains, self.max_grade, self.judged_only)

    def ideals(self, counts: Int64s, max_grade: int) -> tuple[Floats, float]:
        """The ideal of what is judged, and k documents of the best grade; inf without @k."""
        top = scale(self.max_grade, max_grade, self.rel)
        gain = gain_table(self.gains, self.rel, top)
        reached = at_least(counts, top)[:, 1:]
        now: Floats = _IdealSums(self.k, int(reached.max(initial=0)))(reached) @ np.diff(gain)
        most = np.inf if self.k is None else float(gain.max() * discounts(self.k).sum())
        return now, most

    def interval(self, block: Block, max_grade: int) -> Interval:
        """DCG over the ideal, over the largest ideal, and the best ratio of both."""
        top = scale(self.max_grade, max_grade, self.rel)
        gain = gain_table(self.gains, self.rel, top)
        step = np.diff(gain)
        reached = at_least(block.counts, top)[:, 1:]
        if top > MANY_GRADES:
            reached, step = _merged_levels(reached, step)
        n_unjudged = int(block.n_unjudged.max(initial=0))
        ideal = _IdealSums(self.k, int(reached.max(initial=0)) + n_unjudged)

        discount = discounts(block.judged.shape[1])
        base = graded_sums(block, gain, discount)
        best = ideal(reached) @ step
        defined = best > 0
        value = np.divide(base, best, out=np.full(len(base), np.nan), where=defined)
        lower = np.zeros(len(base))
        if self.k is not None:
            lower = base / (gain.max() * discounts(self.k).sum()) if gain.max() > 0 else lower
        upper = np.where(defined, value, 0.0)
        some = block.n_unjudged > 0
        if some.any() and gain.max() > 0:
            earned = _earliest(block.unjudged[some], discount)
            upper[some] = _best_ratio(base[some], earned, reached[some], step, ideal)
        return value, np.fmin(lower, value), np.fmax(upper, value)


def _merged_levels(reached: Int64s, step: Floats) -> tuple[Int64s, Floats]:
    """Grades that no list tells from the next lower one, as one with the sum of their steps."""
    new = np.ones(len(step), np.bool_)
    new[1:] = (reached[:, 1:] != reached[:, :-1]).any(axis=0)
    first = np.flatnonzero(new)
    return reached[:, first], np.add.reduceat(step, first)


class _IdealSums:
    """Sum of the first n discounts, of at most k of them."""

    def __init__(self, k: int | None, n: int) -> None:
        sums = np.concatenate([[0.0], np.cumsum(discounts(max(n, 1)))])
        if k is not None:
            sums[k:] = sums[min(k, len(sums) - 1)]
        self.sums = sums

    def __call__(self, n: Int64s) -> Floats:
        chosen: Floats = self.sums[n]
        return chosen


def _earliest(unjudged: Bools, discount: Floats) -> Floats:
    """[lists, m]: the discounts of each list's earliest m unjudged documents, m from 0, added up.

    Rows with fewer than m unjudged documents hold -inf there: such an m cannot be chosen.
    """
    row, column = cells_of(unjudged)
    count = unjudged.sum(axis=1)
    nth = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    earned = np.zeros((len(unjudged), int(count.max()) + 1))
    earned[row, nth + 1] = discount[column]
    earned = earned.cumsum(axis=1)
    earned[np.arange(earned.shape[1]) > count[:, None]] = -np.inf
    return earned


def _best_ratio(
    base: Floats, earned: Floats, reached: Int64s, step: Floats, ideal: _IdealSums
) -> Floats:
    """The largest DCG / IDCG over all grades of the unjudged documents, by Dinkelbach's method.

    With m_l of them at grade l or better, DCG = base + sum_l step_l * earned(m_l) and
    IDCG = sum_l step_l * ideal(reached_l + m_l): for a fixed ratio every level has its own best
    m_l. Levels that fewer documents have reached pay more for each further one, so the best m_l
    fall with l by themselves and belong to real grades.
    """
    lists = np.arange(len(base))
    m = np.arange(earned.shape[1])
    levels = [level for level in range(len(step)) if step[level] > 0]
    best = ideal(reached) @ step
    ratio = np.divide(base, best, out=np.zeros(len(base)), where=best > 0)
    while True:
        dcg, idcg = base.copy(), np.zeros(len(base))
        for level in levels:
            cost = ideal(reached[:, level, None] + m)
            chosen = (earned - ratio[:, None] * cost).argmax(axis=1)
            dcg += step[level] * earned[lists, chosen]
            idcg += step[level] * cost[lists, chosen]
        better = np.divide(dcg, idcg, out=ratio.copy(), where=idcg > 0)
        # The ratio rises strictly until it is the largest; then only rounding moves it.
        if (better <= ratio + 1e-15).all():
            return np.maximum(ratio, better)
        ratio = np.maximum(ratio, better)
