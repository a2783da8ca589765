"""Topic after topic, each to its end."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.fixed import FixedOrder
from leadline.orders.order import Order, Stepper, orders
from leadline.tables.draw import draw
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class WholeTopics(Order):
    """Whole topics, one after the other as chance has it: a sample of topics, each judged in full.

    Formula: by the draw of the topic, then by best rank over the runs

    Equal ranks are in the order of the documents' names. What the judged topics say of all topics
    is told by their mean, or with labels of a cheap judge for all topics by the adjuster Topics.
    """

    seed: int = 0

    @property
    def learns_from_asking(self) -> bool:
        return False

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """All pairs in this order."""
        luck = draw(self.seed, [(topic, "") for topic in runs.pairs.topics])
        pair = np.unique(runs.pair).astype(np.int64)
        order = np.lexsort((pair, runs.best_rank[pair], luck[runs.pairs.topic[pair]]))
        return self.resume(FixedOrder(pair[order], None, len(runs.pairs)), judgments)
