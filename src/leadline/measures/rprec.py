"""R-precision."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class Rprec(Measure):
    """Precision at R, the number of the topic's relevant documents.

    Formula: Rprec = (relevant among the first R) / R

    Relevant documents that nobody has seen may be many, so the lower end is 0. For the upper end
    let m documents more be relevant: the depth becomes R + m and at most m of the unjudged
    documents above it count, (r + min(m, u)) / (R + m), and the best m is taken. Undefined on a
    topic without relevant documents.

    >>> Rprec().sketch("1 ? 0 1", elsewhere="1")
    '0.3333 [0.0000, 0.7500]'
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Precision at R, and the best precision at R + m over m."""
        total = block.n_relevant(self.rel)[:, None]
        found = block.relevant(self.rel).cumsum(axis=1)
        open_ = block.unjudged.cumsum(axis=1)
        last = found.shape[1] - 1
        at_r = np.take_along_axis(found, np.clip(total - 1, 0, last), axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.where(total > 0, at_r / total, np.nan)[:, 0]
            # Depths R + m inside the list ...
            reach = (found + np.minimum(block.rank - total, open_)) / block.rank
            inside = np.where(block.rank >= np.maximum(total, 1), reach, 0.0).max(axis=1)
            # ... and the best one at or beyond its end, where all its unjudged documents count.
            n = block.judged.shape[1]
            beyond = np.maximum(total[:, 0] + open_[:, -1], n)
            end = (found[:, -1] + np.minimum(beyond - total[:, 0], open_[:, -1])) / beyond
        return value, np.zeros(len(value)), np.fmax(np.maximum(inside, end), value)
