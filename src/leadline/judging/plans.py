"""Ways to spend a budget of judgments, tried on worlds in which the truth is known."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from leadline.designs.designed import Designed
from leadline.estimators.assisted import Assisted
from leadline.estimators.estimator import Estimator
from leadline.estimators.evidence import Evidence
from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.regression import Regression
from leadline.estimators.score_model import ScoreModel
from leadline.judging.session import Session
from leadline.judging.stops import BestLikely, Budget, FirstOf
from leadline.measures.weighted import Weighted
from leadline.orders.doubt import Doubt
from leadline.pools.depth import Depth
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import UNRANKED, Runs


@dataclass(frozen=True, eq=False)
class World:
    """Runs, judgments of all that the measure looks at, and the mean scores that follow.

    `given` are the judgments that were there before: a plan has them for nothing.
    """

    measure: Weighted
    runs: Runs
    judgments: Judgments
    weights: PairWeights
    given: Judgments | None = None

    @cached_property
    def scores(self) -> Floats:
        """The truth."""
        table = self.measure.gain(self.judgments.max_grade)
        return self.weights.scores(table[self.judgments.grade[self.weights.pair]])


def worlds(
    runs: Runs, measure: Weighted, judgments: Judgments, n: int, seed: int
) -> Iterator[World]:
    """What might be true, by a model of the judgments so far, or of what is usual."""
    model = ScoreModel(runs, measure)
    pair = model.weights.pair
    judged = judgments.judged[pair]
    known = np.where(judged, measure.gain(judgments.max_grade)[judgments.grade[pair]], 0.0)
    best = int(np.argmax(measure.gain(judgments.max_grade)))
    for gains in model.worlds(judged, known, n, seed):
        grade = np.zeros(len(runs.pairs), np.int16)
        grade[pair] = np.where(judged, judgments.grade[pair], np.where(gains > 0, best, 0))
        everything = np.ones(len(runs.pairs), np.bool_)
        truth = Judgments(runs.pairs, everything, grade, max_grade=judgments.max_grade)
        given = judgments if judgments.judged.any() else None
        yield World(measure, runs, truth, model.weights, given)


@dataclass(frozen=True)
class PlanOutcome:
    """What a plan says of all runs' scores after so many more judgments."""

    scores: Floats
    judgments: int


@dataclass(frozen=True)
class Plan(ABC):
    """A way to spend a budget, by the names of what it is made of."""

    title: ClassVar[str]

    @property
    @abstractmethod
    def names(self) -> dict[str, str | None]:
        """pool, order, stop and estimator; None for what plays no part."""

    @abstractmethod
    def outcome(self, world: World, seed: int) -> PlanOutcome:
        """Play it."""


@dataclass(frozen=True)
class PoolPlan(Plan):
    """A pool, judged to its end, and an estimator."""

    estimator: Estimator

    @abstractmethod
    def pool(self, world: World, seed: int) -> Pool:
        """What is judged."""

    def outcome(self, world: World, seed: int) -> PlanOutcome:
        pool = self.pool(world, seed)
        evidence = Evidence(world.measure, world.runs, pool.restrict(world.judgments), pool)
        scores = self.estimator.gains(evidence).scores(str(self.estimator))
        known = False if world.given is None else world.given.judged
        return PlanOutcome(scores.mean(), int((pool.member & ~np.asarray(known)).sum()))


@dataclass(frozen=True)
class DesignedPlan(PoolPlan):
    """All batches of a designed pool."""

    title = "designed sample"

    design: Designed

    @property
    def names(self) -> dict[str, str | None]:
        return {"pool": str(self.design), "order": None, "stop": None} | {
            "estimator": str(self.estimator)
        }

    def pool(self, world: World, seed: int) -> Pool:
        pool = self.design.pool(world.runs, seed)
        for _ in range(self.design.batches - 1):
            pool = self.design.next_batch(world.runs, seed, world.judgments, pool)
        return pool


@dataclass(frozen=True)
class DepthPlan(PoolPlan):
    """The deepest pool that the budget allows."""

    title = "depth pool"

    depth: int

    @property
    def names(self) -> dict[str, str | None]:
        # Tried without its errors, which take draws; whoever takes the plan wants them.
        return {"pool": str(Depth(self.depth)), "order": None, "stop": None} | {
            "estimator": str(Regression())
        }

    def pool(self, world: World, seed: int) -> Pool:
        return Depth(self.depth).pool(world.runs, seed)


@dataclass(frozen=True)
class LikelyPlan(Plan):
    """Judge in the order Doubt until the best run is likely enough, or the budget is spent."""

    title = "likely winner"

    order: Doubt
    budget: int
    stop: BestLikely | None = None

    @property
    def names(self) -> dict[str, str | None]:
        stop = str(Budget(self.budget)) if self.stop is None else str(self.stop)
        return {"pool": None, "order": str(self.order), "stop": stop, "estimator": None}

    def outcome(self, world: World, seed: int) -> PlanOutcome:
        rules = (Budget(self.budget), *([] if self.stop is None else [self.stop]))
        session = Session(world.runs, self.order, FirstOf(rules), world.given)
        while choices := session.ask():
            for choice in choices:
                session.tell(choice.pair, int(world.judgments.grade[choice.pair]))
        state = session.standing.likely
        assert state is not None
        posterior = state.posterior
        scores = session.standing.base if posterior is None else posterior.mean
        return PlanOutcome(scores, len(session.grades))


def depth_within(runs: Runs, budget: int, judged: Bools | None = None) -> int:
    """The depth of the deepest pool with no more unjudged pairs than the budget; 0 if none."""
    listed = runs.best_rank < UNRANKED
    best = np.sort(runs.best_rank[listed if judged is None else listed & ~judged])
    if len(best) <= budget:
        return int(runs.best_rank[listed].max(initial=0))
    return int(best[budget]) - 1


def plans_for(
    question: str,
    runs: Runs,
    measure: Weighted,
    budget: int,
    aim: str,
    judged: Bools | None = None,
) -> list[Plan]:
    """What may be done with a budget to answer a question; what is judged costs nothing."""
    name = str(measure)
    plans: list[Plan] = []
    designed = {"best": "differences", "scores": "scores", "newcomer": aim}[question]
    plans.append(DesignedPlan(Assisted(), Designed(budget, name, designed)))
    depth = depth_within(runs, budget, judged)
    if depth:
        plans.append(DepthPlan(Regression(draws=0), depth))
    if measure.gains != "binary" and measure.max_grade is None:
        # A session needs the top of the scale.
        return plans
    if question == "best":
        plans.append(LikelyPlan(Doubt(name), budget, BestLikely()))
    if question == "newcomer":
        plans.append(LikelyPlan(Doubt(name, aim=aim), budget))
    return plans
