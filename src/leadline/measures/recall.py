"""Recall."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class Recall(Measure):
    """Share of the topic's relevant documents that the first k ranks hold (all ranks without @k).

    Formula: Recall@k = (relevant among the first k) / R, R = relevant documents known

    Relevant documents that nobody has seen may be many, so the lower end is 0. The upper end makes
    every unjudged document of the first k relevant and nothing else: (r + u) / (R + u) grows with
    u. Undefined on a topic without relevant documents.

    >>> Recall(k=2).sketch("1 ? 1", elsewhere="1")
    '0.3333 [0.0000, 0.5000]'
    """

    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Counts in the first k over R."""
        found = block.n_found(self.rel)
        open_ = block.n_unjudged
        total = block.n_relevant(self.rel).astype(np.float64)
        value = np.divide(found, total, out=np.full(len(total), np.nan), where=total > 0)
        most = total + open_
        upper = np.divide(found + open_, most, out=np.zeros(len(total)), where=most > 0)
        return value, np.zeros(len(total)), upper
