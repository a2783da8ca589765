"""Discounted cumulative gain, plain and scaled."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.gains import Gains
from leadline.measures.measure import measures
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats


def discounts(n: int) -> Floats:
    """1 / log2(rank + 1) for ranks 1 to n."""
    weights: Floats = 1 / np.log2(np.arange(2, n + 2))
    return weights


@measures.register
@dataclass(frozen=True)
class DCG(Weighted):
    """Gain added up over the ranks, less of it the later it comes.

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
