"""plan: which pool, order, stop and estimator suit a question and a budget of judgments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Unpack

import numpy as np
import polars as pl

from leadline.api.result import Result, rounded
from leadline.api.shared_options import ReadOptions, Seed, complete
from leadline.completions.estimator import Estimator, TrainingData
from leadline.completions.model import RelevanceModel
from leadline.completions.pair_weights import PairWeights
from leadline.completions.regression import Regression
from leadline.completions.sample import ModelAssisted
from leadline.completions.winner import WinnerModel
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.pool import Pool
from leadline.data.runs import UNRANKED, Runs
from leadline.io.problems import Notices, Progress
from leadline.io.read import read
from leadline.judging.likely_winner import LikelyWinner
from leadline.judging.session import Session
from leadline.judging.stops import Budget, FirstOf, WinnerLikely
from leadline.judging.weighted_sample import WeightedSample
from leadline.measures.measure import Weighted, parse_numerator
from leadline.options import Option
from leadline.pooling.strategies import Depth
from leadline.registry import check_choice
from leadline.stats.certainty import WITHIN

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


@dataclass(frozen=True, eq=False)
class SimulatedTruth:
    """A completion drawn from `model`: judgments of all pairs, and the mean scores they imply.

    `given` are the judgments that exist already, which cost a plan nothing.
    """

    measure: Weighted
    runs: Runs
    judgments: Judgments
    weights: PairWeights
    given: Judgments | None = None
    model: RelevanceModel | None = None

    @cached_property
    def scores(self) -> Floats:
        """Return the true mean scores of this completion."""
        table = self.measure.gain(self.judgments.max_grade)
        return self.weights.scores(table[self.judgments.grade[self.weights.pair]])


def simulated_truths(
    runs: Runs, measure: Weighted, judgments: Judgments, n: int, seed: int
) -> Iterator[SimulatedTruth]:
    """Draw completions from the posterior of the relevance model, or from its prior."""
    model = WinnerModel(runs, measure)
    completions = model.completions(judgments, n, seed)
    for drawn in completions.drawn.T:
        grade = np.where(judgments.judged, judgments.grade, np.int16(0))
        grade[completions.pair] = drawn
        everything = np.ones(len(runs.pairs), np.bool_)
        truth = Judgments(runs.pairs, everything, grade, max_grade=judgments.max_grade)
        given = judgments if judgments.judged.any() else None
        yield SimulatedTruth(measure, runs, truth, model.weights, given, model.model)


@dataclass(frozen=True)
class PlanOutcome:
    """The estimated scores of all runs, and the number of judgments they took."""

    scores: Floats
    judgments: int


@dataclass(frozen=True)
class Plan(ABC):
    """A way to spend a budget: a combination of pool, order, stopping rule and estimator."""

    title: ClassVar[str]

    @property
    @abstractmethod
    def names(self) -> dict[str, str | None]:
        """Return the names of pool, order, stop and estimator; None for those not used."""

    @abstractmethod
    def outcome(self, truth: SimulatedTruth, seed: int) -> PlanOutcome:
        """Simulate the plan."""


@dataclass(frozen=True)
class PoolPlan(Plan):
    """A pool that is judged completely, and an estimator."""

    @abstractmethod
    def pool(self, truth: SimulatedTruth, seed: int) -> Pool:
        """Return the pool."""

    def outcome(self, truth: SimulatedTruth, seed: int) -> PlanOutcome:
        pool = self.pool(truth, seed)
        known = np.zeros(len(pool.member), np.bool_)
        if truth.given is not None:
            known = truth.given.judged
        scores = self.scores(truth, pool, known)
        return PlanOutcome(scores, int((pool.member & ~known).sum()))

    @abstractmethod
    def scores(self, truth: SimulatedTruth, pool: Pool, known: Bools) -> Floats:
        """Return the scores that follow from a judged pool and what was known before."""


@dataclass(frozen=True)
class DesignedPlan(PoolPlan):
    """All batches of a weighted sample."""

    title = "weighted sample"

    estimator: Estimator
    design: WeightedSample

    @property
    def names(self) -> dict[str, str | None]:
        return {"pool": str(self.design), "order": None, "stop": None} | {
            "estimator": str(self.estimator)
        }

    def pool(self, truth: SimulatedTruth, seed: int) -> Pool:
        drawn = self.design.all_batches(truth.weights, seed, truth.judgments)
        return drawn.pool(truth.weights, str(self.design), seed, self.design.n)

    def scores(self, truth: SimulatedTruth, pool: Pool, known: Bools) -> Floats:
        evidence = TrainingData(truth.measure, truth.runs, pool.restrict(truth.judgments), pool)
        return self.estimator.gains(evidence).scores(str(self.estimator)).mean()


@dataclass(frozen=True)
class DepthPlan(PoolPlan):
    """The deepest pool that the budget allows, and the mean scores of the relevance model."""

    title = "depth pool"

    depth: int

    @property
    def names(self) -> dict[str, str | None]:
        # Simulated with posterior means, without draws for prediction intervals.
        return {"pool": str(Depth(self.depth)), "order": None, "stop": None} | {
            "estimator": str(Regression())
        }

    def pool(self, truth: SimulatedTruth, seed: int) -> Pool:
        return Depth(self.depth).pool(truth.runs, seed)

    def scores(self, truth: SimulatedTruth, pool: Pool, known: Bools) -> Floats:
        judged = pool.member | known
        grade = np.where(judged, truth.judgments.grade, np.int16(0))
        judgments = Judgments(pool.pairs, judged, grade, max_grade=truth.judgments.max_grade)
        model = WinnerModel(truth.runs, truth.measure, truth.model)
        return model.posterior(judgments).mean


@dataclass(frozen=True)
class LikelyPlan(Plan):
    """Judge in the order LikelyWinner until the best run is likely enough, or the budget is
    spent.
    """

    title = "likely winner"

    order: LikelyWinner
    budget: int
    stop: WinnerLikely | None = None

    @property
    def names(self) -> dict[str, str | None]:
        stop = str(Budget(self.budget)) if self.stop is None else str(self.stop)
        return {"pool": None, "order": str(self.order), "stop": stop, "estimator": None}

    def outcome(self, truth: SimulatedTruth, seed: int) -> PlanOutcome:
        rules = (Budget(self.budget), *([] if self.stop is None else [self.stop]))
        session = Session(truth.runs, self.order, FirstOf(rules), truth.given)
        while choices := session.ask():
            for choice in choices:
                session.tell(choice.pair, int(truth.judgments.grade[choice.pair]))
        state = session.standing.likely
        assert state is not None
        posterior = state.posterior
        scores = session.standing.base if posterior is None else posterior.mean
        return PlanOutcome(scores, len(session.grades))


def depth_within(runs: Runs, budget: int, judged: Bools | None = None) -> int:
    """Return the depth of the deepest pool with at most `budget` unjudged pairs; 0 if none."""
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
    """Return the plans for a question within a budget; judged pairs cost nothing."""
    name = str(measure)
    plans: list[Plan] = []
    designed = {"best": "differences", "scores": "scores", "newcomer": aim}[question]
    plans.append(DesignedPlan(ModelAssisted(), WeightedSample(budget, name, designed)))
    depth = depth_within(runs, budget, judged)
    if depth:
        plans.append(DepthPlan(depth))
    if measure.gains != "binary" and measure.max_grade is None:
        # A session needs the top of the scale.
        return plans
    if question == "best":
        plans.append(LikelyPlan(LikelyWinner(name), budget, WinnerLikely()))
    if question == "newcomer":
        plans.append(LikelyPlan(LikelyWinner(name, aim=aim), budget))
    return plans


Question = Literal["best", "newcomer", "scores"]
OTHER_BUDGETS = (0.5, 2.0)
"""Multiples of the budget at which the best plan is simulated too, for the curve."""

LOOKED_AT = 100
"""Lists are cut to this rank, or to the depth of the measure if that is deeper."""

FEWEST_COMPLETIONS, MOST_COMPLETIONS = 3, 12
MOST_PAIRS = 60_000
"""Pairs in all completions together, which bounds the time for large collections."""


@dataclass(frozen=True, eq=False, repr=False)
class Planned(Result):
    """Every plan at the budget; `curve` simulates the best one at other budgets."""

    question: Question
    budget: int
    n_completions: int
    plans: pl.DataFrame
    curve: Callable[[str], list[dict[str, Any]]]
    notices: Notices = field(default_factory=Notices)

    @cached_property
    def tried(self) -> pl.DataFrame:
        """Return every plan, and the first one at half and at twice the budget too."""
        more = self.curve(_best_first(self.plans, self.question)["plan"][0])
        return pl.DataFrame([*self.plans.to_dicts(), *more], schema=self.plans.schema)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns question, pool, order, stop, estimator, expected_error, probability_right, ...

        judgments and probability_error; the plan to take comes first. probability_error is the
        standard error of probability_right: plans are tried in a few completions only.
        """
        return _best_first(self.plans, self.question).drop("budget", "plan")

    def table(self) -> RenderableType:
        """Return the plans with numbers to four digits."""
        from leadline.views.tables import plain_table

        return plain_table(rounded(self.frame))

    def chart(self) -> alt.TopLevelMixin:
        """The error to expect from each plan, by how many judgments it takes."""
        from leadline.views.result_charts import plan_curves

        return plan_curves(self.tried)


def plan(
    qrels: Any,
    runs: Any = None,
    *,
    budget: int,
    question: Annotated[Question, Option(metavar="QUESTION")] = "best",
    measure: Annotated[str, Option("-m --measure")] = "RBP(p=0.8)",
    baseline: str | None = None,
    new: str | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Planned:
    """Columns question, pool, order, stop, estimator, expected_error, probability_right, judgments,
    probability_error.

    Each plan is simulated in completions that the relevance model draws: from its
    posterior or, where nothing is judged, from its prior. The best plan for the question
    comes first. Errors hold under the model; reality may be less favourable.

    qrels, runs: as for `evaluate`; qrels may be None where nothing is judged yet. All topics of the
        runs count.
    budget: number of judgments that can be afforded, beyond those in `qrels`.
    question: what to find out: which run is best (best), whether `new` beats `baseline` (newcomer),
        or the scores of all runs (scores). The expected error is how much worse the selected run is
        than the best one; the error of the difference; or the error of the scores. A selected run
        counts as right if it is at most .01 worse.
    measure: measure: RBP, P, DCG, SDCG or nDCG.
    baseline: the existing run, with the question newcomer.
    new: the new run, with the question newcomer.
    seed: random seed.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    check_choice("question", question, Question)
    if budget < 1:
        raise ValueError(f"budget must be at least 1, not {budget}")
    weighted = parse_numerator(measure)
    if question == "newcomer" and (baseline is None or new is None):
        raise ValueError("the question newcomer needs the names of two runs: `baseline` and `new`")
    collection = read(
        qrels,
        runs,
        progress=progress,
        unjudged_topics=True,
        depth=max(LOOKED_AT, weighted.depth or 0),
        **complete(read_options),
    )
    heads, known = collection.runs, collection.judgments
    n = int(np.clip(MOST_PAIRS // max(len(heads.pairs), 1), FEWEST_COMPLETIONS, MOST_COMPLETIONS))
    truths = list(simulated_truths(heads, weighted, known, n, seed))
    aim = f"{baseline},{new}" if question == "newcomer" else ""
    candidates = plans_for(question, heads, weighted, budget, aim, known.judged)
    rows = []
    for candidate in candidates:
        rows.append(_simulated(question, budget, candidate, truths, aim))
        if progress is not None:
            progress(len(rows), len(candidates))

    def curve(title: str) -> list[dict[str, Any]]:
        others = {max(1, round(budget * share)) for share in OTHER_BUDGETS} - {budget}
        return [
            _simulated(question, other, candidate, truths, aim)
            for other in sorted(others)
            for candidate in plans_for(question, heads, weighted, other, aim, known.judged)
            if candidate.title == title
        ]

    plans = pl.DataFrame(rows, infer_schema_length=None)
    return Planned(question, budget, n, plans, curve, collection.notices)


def _best_first(rows: pl.DataFrame, question: Question) -> pl.DataFrame:
    if question != "best":
        return rows.sort("expected_error")
    # Of plans that are right as often, the one that takes the fewest judgments.
    first = ["probability_right", "judgments", "expected_error"]
    return rows.sort(first, descending=[True, False, False])


def _simulated(
    question: Question, budget: int, plan: Plan, truths: list[SimulatedTruth], aim: str
) -> dict[str, Any]:
    """Simulate a plan in several completions."""
    outcomes = [plan.outcome(truth, seed) for seed, truth in enumerate(truths)]
    judge = {"best": _best, "newcomer": _newcomer, "scores": _scores}[question]
    pairs = zip(truths, outcomes, strict=True)
    results = [judge(truth, outcome, aim) for truth, outcome in pairs]
    squares = [error**2 for error, _ in results]
    mean = float(np.mean([error for error, _ in results]))
    error = mean if question == "best" else float(np.mean(squares)) ** 0.5
    rights = [right for _, right in results if right is not None]
    return {
        "budget": budget,
        "plan": plan.title,
        "question": question,
        **plan.names,
        "expected_error": error,
        "probability_right": float(np.mean(rights)) if rights else None,
        "judgments": round(float(np.mean([outcome.judgments for outcome in outcomes]))),
        "probability_error": share_error(sum(rights), len(rights)) if rights else None,
    }


def share_error(n_right: int, n: int) -> float:
    """Return the standard error of a share, with one success and one failure added.

    A share of 0 or 1 in a few draws is not exact either.

    >>> round(share_error(12, 12), 3)
    0.069
    """
    share = (n_right + 1) / (n + 2)
    return float(np.sqrt(share * (1 - share) / (n + 2)))


def _best(truth: SimulatedTruth, outcome: PlanOutcome, aim: str) -> tuple[float, bool | None]:
    selected = int(np.argmax(outcome.scores))
    behind = float(truth.scores.max() - truth.scores[selected])
    return behind, behind <= WITHIN


def _newcomer(truth: SimulatedTruth, outcome: PlanOutcome, aim: str) -> tuple[float, bool | None]:
    a, b = (truth.runs.names.index(name.strip()) for name in aim.split(","))
    difference = float(truth.scores[b] - truth.scores[a])
    estimate = float(outcome.scores[b] - outcome.scores[a])
    return estimate - difference, bool((estimate > 0) == (difference > 0))


def _scores(truth: SimulatedTruth, outcome: PlanOutcome, aim: str) -> tuple[float, bool | None]:
    return float(np.mean((outcome.scores - truth.scores) ** 2)) ** 0.5, None
