"""Move-to-front pooling."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.by_run import ByRun
from leadline.orders.order import Order, Stepper, orders
from leadline.tables.arrays import Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class MoveToFront(Order):
    """Documents of a run for as long as it gives relevant ones; finds relevant documents.

    Formula: take the run with the highest priority; a non-relevant document lowers it by 1

    The local form: each topic has its own priorities, and topics take turns.

    Cormack, Palmer and Clarke, Efficient construction of large test collections, SIGIR 1998.
    """

    rel: int = 1

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper in which topics take turns."""
        return self.resume(_MoveToFront(runs, self.rel), judgments)


class _MoveToFront(ByRun):
    def __init__(self, runs: Runs, rel: int) -> None:
        super().__init__(runs, rel)
        self.priority = np.zeros((self.n_runs, self.n_topics))

    def merit(self, topic: int) -> Floats:
        return self.priority[:, topic]

    def learn(self, run: int, topic: int, relevant: bool) -> None:
        if not relevant:
            self.priority[run, topic] -= 1

    def forget(self, topic: int) -> bool:
        self.priority[:, topic] = 0
        return True
