"""Thompson sampling: the bandit that plays runs by chance, as far as it believes in them."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.by_run import ByRun
from leadline.orders.order import Order, Stepper, orders
from leadline.tables.arrays import Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class Thompson(Order):
    """Documents of runs drawn by how likely they are to give a relevant one; finds relevant ones.

    Formula: run with the largest draw from Beta(1 + relevant, 1 + judged - relevant)

    Each topic has its own counts, of the documents that a run was asked for, and topics take turns.
    MaxMean takes the mean of the same belief; drawing from it gives runs of which little is known a
    chance to be tried. Draws follow from seed, topic and how much was told of it.

    Losada, Parapar and Barreiro, Multi-armed bandits for adjudicating documents in pooling-based
    evaluation of information retrieval systems, IPM 2017.
    """

    seed: int = 0
    rel: int = 1

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, not {self.seed}")

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper in which topics take turns."""
        return self.resume(_Thompson(runs, self.rel, self.seed), judgments)


class _Thompson(ByRun):
    def __init__(self, runs: Runs, rel: int, seed: int) -> None:
        super().__init__(runs, rel)
        self.seed = seed
        self.relevant = np.zeros((self.n_runs, self.n_topics))
        self.judged = np.zeros((self.n_runs, self.n_topics))

    def merit(self, topic: int) -> Floats:
        relevant, judged = self.relevant[:, topic], self.judged[:, topic]
        random = np.random.default_rng([self.seed, topic, int(judged.sum())])
        by_name = np.argsort(self.runs.place_by_name)
        drawn = np.empty(self.n_runs)
        drawn[by_name] = random.beta((1 + relevant)[by_name], (1 + judged - relevant)[by_name])
        return drawn

    def learn(self, run: int, topic: int, relevant: bool) -> None:
        self.relevant[run, topic] += relevant
        self.judged[run, topic] += 1

    def forget(self, topic: int) -> bool:
        self.relevant[:, topic] = self.judged[:, topic] = 0
        return True
