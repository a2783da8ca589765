"""The MaxMean bandit."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.by_run import ByRun
from leadline.orders.order import Order, Stepper, orders
from leadline.tables.arrays import Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class MaxMean(Order):
    """Documents of the run most likely to give a relevant one; finds relevant documents.

    Formula: run with the largest (1 + rel) / (2 + judged); rate discounts what is past

    Each topic has its own counts, of the documents that a run was asked for, and topics take
    turns. rate=1, the default, is the stationary form, which finds more from some thousand
    judgments on; rate=0, the better one in the paper, counts only the last judgment.

    Losada, Parapar and Barreiro, Multi-armed bandits for adjudicating documents in pooling-based
    evaluation of information retrieval systems, IPM 2017.
    """

    rate: float = 1.0
    rel: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.rate <= 1:
            raise ValueError(f"rate must be between 0 and 1, not {self.rate}")

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper in which topics take turns."""
        return self.resume(_MaxMean(runs, self.rel, self.rate), judgments)


class _MaxMean(ByRun):
    def __init__(self, runs: Runs, rel: int, rate: float) -> None:
        super().__init__(runs, rel)
        self.rate = rate
        self.relevant = np.zeros((self.n_runs, self.n_topics))
        self.judged = np.zeros((self.n_runs, self.n_topics))

    def merit(self, topic: int) -> Floats:
        mean: Floats = (1 + self.relevant[:, topic]) / (2 + self.judged[:, topic])
        return mean

    def learn(self, run: int, topic: int, relevant: bool) -> None:
        self.relevant[run, topic] = self.rate * self.relevant[run, topic] + relevant
        self.judged[run, topic] = self.rate * self.judged[run, topic] + 1

    def forget(self, topic: int) -> bool:
        self.relevant[:, topic] = self.judged[:, topic] = 0
        return True
