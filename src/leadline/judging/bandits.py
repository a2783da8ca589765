"""Orders that pick a run and judge its next document: MaxMean, Thompson, move-to-front."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE
from leadline.judging.order import Choice, Order, Stepper, orders


class ByRun(Stepper):
    """Topics take turns; in each, the run with the highest merit gives its best unjudged document.

    Ties go to the run that comes first by name. Who was asked is remembered until the grade comes.
    """

    def __init__(self, runs: Runs, rel: int) -> None:
        self.runs, self.rel = runs, rel
        self.n_runs, self.n_topics = runs.length.shape
        self.done: Bools = np.zeros(len(runs.pairs), np.bool_)
        self.at: Int64s = runs.start.copy()
        self.asked: dict[int, int] = {}
        self.spent: dict[int, int] = {}
        # By topic, what each pair taught about which run, in the order in which it did.
        self.taught: list[dict[int, tuple[int, bool]]] = [{} for _ in range(self.n_topics)]
        self.turn = 0

    @abstractmethod
    def merit(self, topic: int) -> Floats:
        """How promising each run is on a topic."""

    @abstractmethod
    def learn(self, run: int, topic: int, relevant: bool) -> None:
        """What the document of a run turned out to be."""

    def forget(self, topic: int) -> bool:
        """Forget what was learnt of a topic; False where that cannot be done."""
        return False

    def _next_of(self, run: int, topic: int) -> int | None:
        at, stop = int(self.at[run, topic]), int(self.runs.stop[run, topic])
        while at < stop and self.done[self.runs.pair[at]]:
            at += 1
        self.at[run, topic] = at
        return int(self.runs.pair[at]) if at < stop else None

    def _of_topic(self, topic: int) -> Choice | None:
        merit = self.merit(topic).astype(np.float64)
        left = np.ones(self.n_runs, np.bool_)
        while left.any():
            most = merit[left].max()
            run = self.runs.first_by_name(left & (merit >= most - SCORE_NOISE))
            pair = self._next_of(run, topic)
            if pair is not None:
                self.asked[pair] = run
                return Choice(pair, float(merit[run]))
            left[run] = False
        return None

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        empty = 0
        while len(chosen) < k and empty < self.n_topics:
            choice = self._of_topic(self.turn)
            self.turn = (self.turn + 1) % self.n_topics
            if choice is None:
                empty += 1
                continue
            empty = 0
            self.done[choice.pair] = True
            chosen.append(choice)
        return chosen

    def tell(self, pair: int, grade: int) -> None:
        self.done[pair] = True
        run = self.asked.pop(pair, None)
        if run is not None:
            topic = int(self.runs.pairs.topic[pair])
            self.taught[topic][pair] = run, grade >= self.rel
            self.learn(run, topic, grade >= self.rel)

    def retract(self, pair: int, grade: int | None) -> bool:
        topic = int(self.runs.pairs.topic[pair])
        taught = self.taught[topic]
        if pair in self.spent:
            self.asked[pair] = self.spent.pop(pair)
        if pair not in taught:
            return True
        if not self.forget(topic):
            return False
        self.asked[pair] = taught.pop(pair)[0]
        for run, relevant in taught.values():
            self.learn(run, topic, relevant)
        return True

    def spend(self, pair: int) -> None:
        self.done[pair] = True
        if pair in self.asked:
            self.spent[pair] = self.asked.pop(pair)

    def release(self, pair: int) -> None:
        self.done[pair] = False
        self.asked.pop(pair, None)
        topic = int(self.runs.pairs.topic[pair])
        self.at[:, topic] = self.runs.start[:, topic]


@orders.register
@dataclass(frozen=True)
class MaxMean(Order):
    """Documents of the run most likely to return a relevant one; finds relevant documents.

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
    def __init__(self, runs: Runs, rel: int, rate: float = 1.0) -> None:
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


@orders.register
@dataclass(frozen=True)
class MoveToFront(Order):
    """Documents of one run while it returns relevant ones; finds relevant documents.

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


@orders.register
@dataclass(frozen=True)
class Thompson(Order):
    """Documents of runs chosen by Thompson sampling; finds relevant documents.

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


class _Thompson(_MaxMean):
    """The same counts, but runs are drawn by them."""

    def __init__(self, runs: Runs, rel: int, seed: int) -> None:
        super().__init__(runs, rel)
        self.seed = seed

    def merit(self, topic: int) -> Floats:
        relevant, judged = self.relevant[:, topic], self.judged[:, topic]
        random = np.random.default_rng([self.seed, topic, int(judged.sum())])
        by_name = np.argsort(self.runs.place_by_name)
        drawn = np.empty(self.n_runs)
        drawn[by_name] = random.beta((1 + relevant)[by_name], (1 + judged - relevant)[by_name])
        return drawn
