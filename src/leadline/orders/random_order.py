"""A uniformly random order, the baseline."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.fixed import FixedOrder
from leadline.orders.order import Order, Stepper, orders
from leadline.tables.draw import draw_pairs
from leadline.tables.judgments import Judgments
from leadline.tables.runs import UNRANKED, Runs


@orders.register
@dataclass(frozen=True)
class Random(Order):
    """All pairs in an order drawn at random: what any other order must beat.

    Formula: by u(seed, topic, doc), uniform
    """

    seed: int = 0

    @property
    def learns_from_asking(self) -> bool:
        return False

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        pair = np.flatnonzero(runs.best_rank < UNRANKED)
        number = draw_pairs(self.seed, runs.pairs, pair)
        order = np.lexsort((pair, number))
        return self.resume(FixedOrder(pair[order], None, len(runs.pairs)), judgments)
