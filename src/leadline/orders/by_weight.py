"""Steppers that take the heaviest pair: the methods of Moffat, Webber and Zobel."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.intervals.run_scores import RunScores
from leadline.measures.measure import parse_numerator
from leadline.orders.gains_told import GainsTold
from leadline.orders.heaviest import Heaviest
from leadline.orders.judged_by import JudgedBy
from leadline.orders.order import Choice, Stepper
from leadline.tables.arrays import Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

Scope = Literal["mean", "topic"]


class ByWeight(JudgedBy):
    """An order whose weights are sum over runs of c * factor(run)."""

    scope: Scope = "mean"
    batch: int = 1

    @property
    def learns_from_asking(self) -> bool:
        return self.batch > 1

    def check(self) -> None:
        """A ValueError if a parameter makes no sense."""
        self.check_weights()
        if self.batch < 1:
            raise ValueError(f"batch must be at least 1, not {self.batch}")

    @abstractmethod
    def factor(self, base: Floats, residual: Floats) -> Floats:
        """How much a run's weights count, from what was found of its score and what is open."""

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_HeaviestFirst(self, runs), judgments)


@dataclass
class _Batch:
    """Factors that hold until so many pairs more are chosen."""

    factor: Floats
    left: int


class _HeaviestFirst(Stepper):
    def __init__(self, order: ByWeight, runs: Runs) -> None:
        self.order = order
        self.scores = RunScores(runs, order.weighted)
        # The sum of weights and gains: a topic's ideal, of nDCG say, plays no part here.
        of_grades = parse_numerator(order.measure) if order.measure else order.weighted
        self.gains = GainsTold(of_grades, runs.pairs)
        scores = self.scores
        cell = scores.run
        if order.scope == "topic":
            topic = scores.topic[scores.pair]
            cell = (scores.run * np.int32(scores.n_topics) + topic).astype(np.int32)
        self.heaviest = Heaviest(scores.start, cell, scores.c, scores.open)
        self.batch: _Batch | None = None

    def _factor(self) -> Floats:
        scores = self.scores
        if self.order.scope == "topic":
            return self.order.factor(scores.base.ravel(), scores.residual.ravel())
        return self.order.factor(scores.mean_base, scores.mean_residual)

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k:
            if self.batch is None or not self.batch.left:
                self.batch = _Batch(self._factor(), self.order.batch)
            best = self.heaviest.best(self.batch.factor)
            if best is None:
                break
            self.batch.left -= 1
            self.scores.close(best[0])
            chosen.append(Choice(*best))
        return chosen

    def weights(self, first: int, last: int) -> Floats:
        return self.heaviest.weights(self._factor(), first, last)

    def tell(self, pair: int, grade: int) -> None:
        self.scores.close(pair)
        anew = self.gains.tell(pair, grade)
        self._add(pair, self.gains.of(grade), anew)

    def retract(self, pair: int, grade: int | None) -> bool:
        if grade is not None:
            gain = self.gains.of(grade)
            self._add(pair, -gain, self.gains.forget(pair))
        return True

    def _add(self, pair: int, gain: float, anew: bool) -> None:
        """Add to what was found; all of it `anew` if the gains of grades are others than before."""
        if anew:
            self.scores.revalue(self.gains.of_pairs())
        else:
            self.scores.add(pair, gain)

    def spend(self, pair: int) -> None:
        self.scores.close(pair)

    def release(self, pair: int) -> None:
        self.scores.reopen(pair)
