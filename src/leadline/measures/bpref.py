"""Binary preference."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.measures.weighted import row_sums
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class bpref(Measure):
    """How seldom judged non-relevant documents stand above the relevant ones.

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
