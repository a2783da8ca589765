"""A uniformly random order, the baseline."""

from dataclasses import dataclass

import numpy as np

from leadline.data.draw import draw_pairs
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.orders.fixed import FixedOrder
from leadline.orders.protocol import Order, Stepper, orders


@orders.register
@dataclass(frozen=True)
class Random(Order):
    """All pairs in an order drawn at random: what any other order must beat.

    Formula: by u(seed, topic, doc), uniform
    """

    seed: int = 0

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        pair = np.flatnonzero(np.diff(runs.by_pair.start) > 0)
        number = draw_pairs(self.seed, runs.pairs, pair)
        order = np.lexsort((pair, number))
        return self.resume(FixedOrder(pair[order], None, len(runs.pairs)), judgments)
