"""The order in which a pool grows."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.rbp import RBP
from leadline.orders.fixed import FixedOrder
from leadline.orders.order import Order, Stepper, orders
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class Pooling(Order):
    """Pairs by their best rank in any run: first everybody's first documents, then the second.

    Formula: weight(d) = max_s c_sd; ties go to the run given first, then by topic

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    by_run_order = True

    p: float
    rel: int = 1

    def __post_init__(self) -> None:
        RBP(p=self.p, rel=self.rel)

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        holders = runs.postings
        pair = np.flatnonzero(np.diff(holders.start) > 0)
        first = holders.start[pair]
        best = np.minimum.reduceat(holders.rank, first)
        at_best = np.repeat(best, np.diff(holders.start)[pair]) == holders.rank
        who = np.where(at_best, holders.run, len(runs.names))
        holder = np.minimum.reduceat(who, first)
        order = np.lexsort((pair, holder, best))
        weights = RBP(p=self.p).weights(int(best.max(initial=1)))[best - 1]
        return self.resume(FixedOrder(pair[order], weights[order], len(runs.pairs)), judgments)
