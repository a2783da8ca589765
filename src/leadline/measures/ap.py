"""Average precision, its geometric mean over topics, and binary preference."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.lists import Block, cells_of
from leadline.data.scores import OverTopics
from leadline.measures.measure import Interval, Measure, measures, row_sums
from leadline.measures.precision import P


@measures.register
@dataclass(frozen=True)
class AP(Measure):
    """Mean precision at the ranks of the relevant documents (of the first k, with @k).

    Formula: AP = (1/R) * sum over ranks i of relevant documents of (relevant among the first i) / i

    Relevant documents that nobody has seen may be many, so the lower end is 0. The upper end is
    reached by making the earliest m unjudged documents relevant, for the best m: see
    docs/methods/ap.md for the proof. Undefined on a topic without relevant documents.

    >>> AP().sketch("1 ? 1", elsewhere="1")
    '0.5556 [0.0000, 0.7500]'
    """

    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    @property
    def averaged(self) -> P | None:
        """P@k; None for whole lists, and where unjudged documents are taken out of them."""
        return None if self.k is None or self.judged_only else P(k=self.k, rel=self.rel)

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The known sum over R, and the largest sum over R + m that m unjudged documents allow."""
        total = block.n_relevant(self.rel).astype(np.float64)
        row, column, grade = block.cells
        known = grade >= self.rel
        row, column = row[known], column[known]
        n, depth = len(total), block.judged.shape[1]
        first = np.searchsorted(row, np.arange(n))
        found = np.arange(1, len(row) + 1) - first[row]
        base = np.zeros(n)
        base += np.bincount(row, found / (column + 1), n)
        value = np.divide(base, total, out=np.full(n, np.nan), where=total > 0)
        best = base / np.maximum(total, 1.0)
        if not block.unjudged.any():
            return value, np.zeros(n), np.fmax(value, np.minimum(best, 1.0))

        # Between two judged documents stands a stretch of unjudged ones. Making the one at rank j
        # relevant, after all above it, adds 1 - others / j and lifts every known relevant document
        # below by 1 / rank. That grows within a stretch, so the mean is best at the end of one: see
        # docs/methods/ap.md.
        of, begin, end = _stretches(block.unjudged)
        above = np.searchsorted(row * depth + column, of * depth + begin) - first[of]
        lifts = _sums(row, found, 1 / (column + 1), n)
        below = lifts[of, -1] - lifts[of, above]
        size = end - begin
        start = np.flatnonzero(np.diff(of, prepend=-1))
        nth = np.arange(len(of)) - np.repeat(start, np.diff(np.append(start, len(of))))
        made = np.cumsum(size)
        made -= (made - size)[np.arange(len(of)) - nth]
        others = begin - (made - size) - above
        harmonic = np.concatenate([[0.0], np.cumsum(1 / block.rank)])
        gained = size * (1 + below) - others * (harmonic[end] - harmonic[begin])
        reached = base[of] + _sums(of, nth + 1, gained, n)[of, nth + 1]
        most = np.maximum.reduceat(reached / (total[of] + made), start)
        best[of[start]] = np.maximum(best[of[start]], most)
        return value, np.zeros(n), np.fmax(value, np.minimum(best, 1.0))


def _stretches(mask: Bools) -> tuple[Int64s, Int64s, Int64s]:
    """Row, first column and last column + 1 of all stretches of cells that are in the mask."""
    changes = np.zeros((mask.shape[0], mask.shape[1] + 1), np.bool_)
    changes[:, 1:] = mask
    changes[:, :-1] ^= mask
    row, column = cells_of(changes)
    return row[::2], column[::2], column[1::2]


def _sums(row: Int64s, nth: Int64s, amount: Floats, n: int) -> Floats:
    """[n, m]: the sum of the first m amounts of each row; `nth` counts them from 1.

    A matrix, so that every row is added up by itself and its company never changes the last digit.
    """
    sums = np.zeros((n, int(nth.max(initial=0)) + 1))
    sums[row, nth] = amount
    return np.cumsum(sums, axis=1, out=sums)


@measures.register
@dataclass(frozen=True)
class GMAP(AP):
    """AP whose mean over topics (row `all`) is geometric, which emphasises hard topics.

    Formula: GMAP = exp(mean over topics of ln max(AP, 0.00001))

    On a single topic it is AP, with AP's interval. Undefined on a topic without relevant documents,
    which is left out of the mean.

    >>> GMAP().sketch("1 ? 1", elsewhere="1")
    '0.5556 [0.0000, 0.7500]'
    """

    over_topics: ClassVar[OverTopics] = "geometric mean"


@measures.register
@dataclass(frozen=True)
class bpref(Measure):
    """How rarely judged non-relevant documents are ranked above relevant ones.

    Formula: bpref = (1/R) * sum over relevant r returned of 1 - min(n_r, R) / min(N, R)

    n_r: judged non-relevant documents above r; N: all judged non-relevant documents of the topic.
    It passes over unjudged documents, so it says nothing of what they could change and has no
    interval. Undefined on a topic without relevant documents.

    >>> bpref().sketch("1 ? 0 1", elsewhere="0")
    '0.7500'

    Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.
    """

    at = None
    bounded = False
    rel: int = 1

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The mean over relevant documents of the share of pairs in the right order."""
        total = block.n_relevant(self.rel)[:, None]
        others = block.counts.sum(axis=1)[:, None] - total
        known = block.relevant(self.rel)
        above = (block.judged & ~known).cumsum(axis=1)
        most = np.maximum(np.minimum(others, total), 1)
        share = row_sums(known, 1 - np.minimum(above, total) / most)
        n = total[:, 0].astype(np.float64)
        n[n == 0] = np.nan
        return share / n, share / n, share / n
