"""Average precision."""

from dataclasses import dataclass

import numpy as np

from leadline.data.lists import Block
from leadline.measures.protocol import Interval, Measure, check, measures


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

    def __post_init__(self) -> None:
        check(k=self.k, rel=self.rel)

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The known sum over R, and the largest sum over R + m that m unjudged documents allow."""
        total = block.n_relevant(self.rel).astype(np.float64)
        known = block.relevant(self.rel)
        # Few cells are relevant, so what happens at those is worked out there alone.
        row, column = np.nonzero(known)
        first = np.searchsorted(row, np.arange(len(known)))
        found = np.arange(1, len(row) + 1) - first[row]
        inverse = 1 / block.rank
        n = len(known)
        base = np.bincount(row, weights=found / (column + 1), minlength=n).astype(np.float64)
        value = np.divide(base, total, out=np.full(len(total), np.nan), where=total > 0)

        # The m-th unjudged document, at rank j, adds its own precision (found_j + m) / j and lifts
        # that of every known relevant document below it by 1 / rank; those made relevant before
        # it stand above it and do not change.
        lifted = np.bincount(row, weights=inverse[column], minlength=n).astype(np.float64)
        below = np.zeros(known.shape)
        below[row, column] = inverse[column]
        np.cumsum(below, axis=1, out=below)
        np.subtract(lifted[:, None], below, out=below)
        gained = (known | block.unjudged).cumsum(axis=1, dtype=np.int32) * inverse
        gained += below
        gained *= block.unjudged
        np.cumsum(gained, axis=1, out=gained)
        gained += base[:, None]
        made = block.unjudged.cumsum(axis=1, dtype=np.int32)
        gained /= np.maximum(made + total[:, None], 1.0)
        best = gained.max(axis=1)
        return value, np.zeros(len(value)), np.fmax(value, np.minimum(best, 1.0))
