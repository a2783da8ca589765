"""Steppers that pick a run and judge its next document, topic after topic."""

from abc import abstractmethod

import numpy as np

from leadline.orders.order import Choice, Stepper
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.runs import Runs
from leadline.tables.scores import SCORE_NOISE


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
