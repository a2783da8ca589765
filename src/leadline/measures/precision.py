"""Precision: at a depth, and of the whole list."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class P(Weighted):
    """Share of the first k ranks that hold a relevant document.

    Formula: P@k = (relevant among the first k) / k

    Ranks beyond the end of a short list count as non-relevant and are closed. A topic without
    relevant documents scores 0.

    >>> P(k=4).sketch("1 ? 0")
    '0.2500 [0.2500, 0.5000]'
    """

    k: int
    rel: int = 1
    judged_only: bool = False

    def weights(self, n: int) -> Floats:
        """1/k for the first k ranks."""
        return np.where(np.arange(n) < self.k, 1 / self.k, 0.0)

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Counts over k: the same as the sum of weights, without its rounding."""
        known = block.n_found(self.rel)
        open_ = block.n_unjudged
        return known / self.k, known / self.k, (known + open_) / self.k


@measures.register
@dataclass(frozen=True)
class SetP(Measure):
    """Share of all documents returned that are relevant, whatever their order.

    Formula: SetP = relevant returned / returned

    A run that returns nothing scores 0.

    >>> SetP().sketch("1 ? 0 1")
    '0.5000 [0.5000, 0.7500]'
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Counts over the list's length."""
        n = np.maximum(block.length, 1)
        known = block.n_found(self.rel)
        open_ = block.n_unjudged
        return known / n, known / n, (known + open_) / n
