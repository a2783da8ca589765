"""Gains learnt from ranks: one penalised logistic regression for a whole collection.

``runs`` are the contributing runs, dicts topic -> ranking of distinct docs, best first; ``qrels``
is a dict topic -> doc -> grade of judged docs. The specification is ours; no paper has it.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped, unused-ignore]

from .adjusters import Qrels, Run
from .pools import Pair

MISSING_RANK = 2000
PENALTY = 0.3
FLOOR = 0.01
TOPIC_SCALE = 2.0

Vector = NDArray[np.float64]


def ranks_of(runs: list[Run], topic: str, doc: str) -> list[int | None]:
    """The doc's rank in every run, None where a run does not return it."""
    ranks: list[int | None] = []
    for run in runs:
        ranking = run.get(topic, [])
        ranks.append(ranking.index(doc) + 1 if doc in ranking else None)
    return ranks


def features(ranks: list[int | None]) -> list[float]:
    """The eight features of a doc from its rank in every contributing run.

    A run that does not return the doc counts as rank 2000 in the first five. With n runs:
    log sum 1/(60 + rank); log(.01 + sum .95^rank); log(.01 + sum .8^rank); log(best rank);
    (1/n) sum log rank;
    share of runs that return it; share that return it in the first 100;
    log(1 + number of runs with it in the first 30).
    """
    n = len(ranks)
    filled = [MISSING_RANK if rank is None else rank for rank in ranks]
    found = [rank for rank in ranks if rank is not None]
    return [
        math.log(math.fsum(1 / (60 + rank) for rank in filled)),
        math.log(FLOOR + math.fsum(0.95**rank for rank in filled)),
        math.log(FLOOR + math.fsum(0.8**rank for rank in filled)),
        math.log(min(filled)),
        math.fsum(math.log(rank) for rank in filled) / n,
        len(found) / n,
        len([rank for rank in found if rank <= 100]) / n,
        math.log(1 + len([rank for rank in found if rank <= 30])),
    ]


class Model:
    """A fitted regression: P(relevant) = 1 / (1 + exp(-(b + w . x + 2 v_topic)))."""

    def __init__(
        self,
        runs: list[Run],
        topics: list[str],
        centre: Vector,
        scale: Vector,
        weights: Vector,
        intercept: float,
        ends: tuple[Vector, Vector],
    ) -> None:
        self.ends = ends
        self.runs = runs
        self.topics = topics
        self.centre = centre
        self.scale = scale
        self.weights = weights
        self.intercept = intercept

    def row(self, topic: str, doc: str) -> Vector:
        """Standardised features, then 2 at the doc's topic and 0 at the others.

        A feature is cut to its range over the judged docs.
        """
        raw = np.clip(features(ranks_of(self.runs, topic, doc)), *self.ends)
        indicators = [TOPIC_SCALE if topic == name else 0.0 for name in self.topics]
        return np.concatenate([(raw - self.centre) / self.scale, indicators])

    def logit(self, topic: str, doc: str) -> float:
        """log(p / (1 - p)) of one doc, judged or not, returned by a run or not."""
        return self.intercept + float(self.row(topic, doc) @ self.weights)

    def gain(self, topic: str, doc: str, own: float = 0.0) -> float:
        """Regression gain of one doc in a run with this level of its own."""
        return 1 / (1 + math.exp(-(self.logit(topic, doc) + own)))

    def own_level(self, run: Run, qrels: Qrels, rel: int = 1) -> float:
        """Where sum over the run's judged docs in the first 100 of (p - y) + level is 0.

        The slope of their log-loss plus level^2 / 2. It rises with the level, so halving an
        interval that holds the zero finds it.
        """
        docs = [
            (self.logit(topic, doc), qrels[topic][doc] >= rel)
            for topic in qrels
            for doc in run.get(topic, [])[:100]
            if doc in qrels[topic]
        ]

        def slope(level: float) -> float:
            return level + math.fsum(0.5 + 0.5 * math.tanh((z + level) / 2) - y for z, y in docs)

        low, high = -float(len(docs)) - 1, float(len(docs)) + 1
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        return (low + high) / 2


def objective(
    parameters: Vector, rows: Vector, targets: Vector, penalty: float = PENALTY
) -> tuple[float, Vector]:
    """C sum log-loss + |w|^2 / 2 and its gradient; the intercept, parameters[0], is free.

    Log-loss of target y in [0, 1] at linear predictor z: -y log s(z) - (1 - y) log(1 - s(z)) =
    log(1 + e^z) - y z. Scikit-learn's LogisticRegression minimises the same.
    """
    intercept, weights = parameters[0], parameters[1:]
    z = intercept + rows @ weights
    loss = penalty * float(np.sum(np.logaddexp(0, z) - targets * z))
    loss += 0.5 * float(weights @ weights)
    residual = 1 / (1 + np.exp(-z)) - targets
    gradient = penalty * np.concatenate([[residual.sum()], rows.T @ residual])
    gradient[1:] += weights
    return loss, gradient


def hessian(parameters: Vector, rows: Vector, targets: Vector, penalty: float = PENALTY) -> Vector:
    """Second derivatives of ``objective``."""
    z = parameters[0] + rows @ parameters[1:]
    s = 1 / (1 + np.exp(-z))
    with_intercept = np.column_stack([np.ones(len(rows)), rows])
    curvature = penalty * with_intercept.T @ (with_intercept * (s * (1 - s))[:, None])
    curvature[1:, 1:] += np.eye(rows.shape[1])
    return np.asarray(curvature)


def minimise(rows: Vector, targets: Vector, penalty: float = PENALTY) -> Vector:
    """The minimum of the objective, intercept first: scipy's, then Newton steps to the last digit.

    The objective is strictly convex, so there is one minimum; none if all targets are 0 or all 1,
    because the free intercept then runs away.
    """
    if targets.max() == 0 or targets.min() == 1:
        raise ValueError("all targets are alike")
    start = np.zeros(rows.shape[1] + 1)
    found = minimize(
        objective, start, (rows, targets, penalty), "L-BFGS-B", jac=True, options={"maxiter": 10000}
    )
    parameters = np.asarray(found.x, dtype=np.float64)
    for _ in range(20):
        _, gradient = objective(parameters, rows, targets, penalty)
        step = np.linalg.solve(hessian(parameters, rows, targets, penalty), gradient)
        parameters = parameters - step
    return parameters


def fit(
    runs: list[Run], qrels: Qrels, rel: int = 1, gain_of: dict[int, float] | None = None
) -> Model:
    """The regression fitted to all judged docs.

    The target is 1 for grade >= rel, else 0; or gain_of[grade] in [0, 1] if given. Features are
    standardised by mean and standard deviation (divisor n) over the judged docs; one that is
    constant there is only centred. Topic indicators stay as they are.
    """
    topics = sorted(qrels)
    judged: list[Pair] = [(topic, doc) for topic in topics for doc in qrels[topic]]
    raw = np.array([features(ranks_of(runs, topic, doc)) for topic, doc in judged])
    centre, scale = raw.mean(axis=0), raw.std(axis=0)
    scale = np.where(scale > 1e-12 * np.maximum(1, np.abs(centre)), scale, 1.0)
    ends = raw.min(axis=0), raw.max(axis=0)
    blank = Model(runs, topics, centre, scale, np.zeros(0), 0.0, ends)
    rows = np.array([blank.row(topic, doc) for topic, doc in judged])
    targets = []
    for topic, doc in judged:
        grade = qrels[topic][doc]
        if gain_of is None:
            targets.append(1.0 if grade >= rel else 0.0)
        else:
            targets.append(gain_of[grade])
    parameters = minimise(rows, np.array(targets))
    return Model(runs, topics, centre, scale, parameters[1:], float(parameters[0]), ends)
