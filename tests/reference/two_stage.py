"""The two-stage estimation of Lu, Moffat and Culpepper (SIGIR 2017), Algorithm 1.

Conventions as in ``estimators``. A doc's gain is an average of what a rank model says of its ranks
in the contributing runs (weights w1, one per run), then of these over the models (weights w2, one
per model); both lists of weights are not negative and sum to 1. They minimise a loss over the
judged docs. ``errors`` is a dict judged doc -> estimated - true gain.
"""

import itertools
import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize  # type: ignore[import-untyped, unused-ignore]

from .estimators import Gains, Measure

Vector = NDArray[np.float64]
Loss = Literal["la", "lb documents", "lb runs"]


def loss_la(errors: Gains, rankings: list[list[str]], measure: Measure) -> float:
    """Eq. 7: the root of the sum over runs of (sum over judged ranks j of W(j) error)^2."""
    total = 0.0
    for ranking in rankings:
        of_run = 0.0
        for j, doc in enumerate(ranking, start=1):
            if doc in errors:
                of_run += measure.weight(j) * errors[doc]
        total += of_run**2
    return math.sqrt(total)


def loss_lb_documents(errors: Gains, rankings: list[list[str]], measure: Measure) -> float:
    """Eq. 8: the sum over judged docs of the root of the sum over runs of (W(p_Di) error)^2.

    A run that does not return a doc weighs nothing.
    """
    total = 0.0
    for doc, error in errors.items():
        squares = 0.0
        for ranking in rankings:
            if doc in ranking:
                squares += (measure.weight(ranking.index(doc) + 1) * error) ** 2
        total += math.sqrt(squares)
    return total


def loss_lb_runs(errors: Gains, rankings: list[list[str]], measure: Measure) -> float:
    """The authors' software: the sum over runs of the root of the sum over its judged docs."""
    total = 0.0
    for ranking in rankings:
        squares = 0.0
        for j, doc in enumerate(ranking, start=1):
            if doc in errors:
                squares += (measure.weight(j) * errors[doc]) ** 2
        total += math.sqrt(squares)
    return total


LOSSES: dict[Loss, Callable[[Gains, list[list[str]], Measure], float]] = {
    "la": loss_la,
    "lb documents": loss_lb_documents,
    "lb runs": loss_lb_runs,
}


class Problem(NamedTuple):
    """min over the simplex of a loss of columns @ w - target; weight[i, d] = W(p_di) or 0."""

    columns: Vector
    target: Vector
    weight: Vector
    loss: Loss

    def value(self, w: Vector) -> float:
        """The loss at w, as a vector formula."""
        weighted = self.weight * (self.columns @ w - self.target)
        if self.loss == "la":
            return float(np.linalg.norm(weighted.sum(axis=1)))
        axis = 0 if self.loss == "lb documents" else 1
        return float(np.linalg.norm(weighted, axis=axis).sum())

    def gradient(self, w: Vector) -> Vector:
        """A subgradient of the loss at w."""
        weighted = self.weight * (self.columns @ w - self.target)
        if self.loss == "la":
            sums = weighted.sum(axis=1)
            size = float(np.linalg.norm(sums))
            direction = sums / size if size > 0 else 0 * sums
            return np.asarray(self.columns.T @ (self.weight.T @ direction))
        axis = 0 if self.loss == "lb documents" else 1
        size_of = np.linalg.norm(weighted, axis=axis, keepdims=True)
        unit = np.divide(weighted, size_of, out=np.zeros_like(weighted), where=size_of > 0)
        return np.asarray(self.columns.T @ (self.weight * unit).sum(axis=0))

    def gap(self, w: Vector) -> float:
        """An upper bound of loss(w) - (smallest loss), by convexity: g.w - min_i g_i."""
        g = self.gradient(w)
        return float(g @ w - g.min())


def weight_matrix(docs: list[str], rankings: list[list[str]], measure: Measure) -> Vector:
    """W(p_Di) of every run i and doc D, 0 where the run does not return the doc."""
    at = {doc: d for d, doc in enumerate(docs)}
    matrix = np.zeros((len(rankings), len(docs)))
    for i, ranking in enumerate(rankings):
        for j, doc in enumerate(ranking, start=1):
            if doc in at:
                matrix[i, at[doc]] = measure.weight(j)
    return matrix


def least_loss(problem: Problem, n_starts: int = 20) -> Vector:
    """Weights with the smallest loss: a linear programme for Eq. 8, else SLSQP from many starts."""
    if problem.loss == "lb documents":
        return by_linear_programme(problem)
    n = problem.columns.shape[1]
    rng = np.random.default_rng(0)
    starts = [np.full(n, 1 / n), *np.eye(n), *rng.dirichlet(np.ones(n), n_starts)]
    best = starts[0]
    for start in starts:
        found = minimize(
            lambda w: problem.value(w) ** 2 if problem.loss == "la" else problem.value(w),
            start,
            method="SLSQP",
            bounds=[(0, 1)] * n,
            constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1}],
            options={"ftol": 1e-16, "maxiter": 1000},
        )
        w = np.clip(found.x, 0, None)
        w /= w.sum()
        if problem.value(w) < problem.value(best):
            best = w
    return np.asarray(best)


def by_linear_programme(problem: Problem) -> Vector:
    """Weighted least absolute deviations: min size.t, t >= columns w - r, t >= r - columns w."""
    n_docs, n = problem.columns.shape
    size = np.linalg.norm(problem.weight, axis=0)
    cost = np.concatenate([np.zeros(n), size])
    above = np.hstack([problem.columns, -np.eye(n_docs)])
    below = np.hstack([-problem.columns, -np.eye(n_docs)])
    found = linprog(
        cost,
        A_ub=np.vstack([above, below]),
        b_ub=np.concatenate([problem.target, -problem.target]),
        A_eq=np.concatenate([np.ones(n), np.zeros(n_docs)])[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * (n + n_docs),
        method="highs",
    )
    w = np.clip(found.x[:n], 0, None)
    return np.asarray(w / w.sum())


def smallest_norm_la(problem: Problem) -> Vector:
    """The weights of smallest norm among those with the smallest L_a, for up to ten components.

    L_a = |A w - b|. Its minimum over the simplex is a minimum over the plane sum w = 1 of some face
    (set of components allowed to be positive), so all faces are tried. All minima share A w; of
    these the one of smallest norm is the shortest solution of A w = A w*, sum w = 1 within its own
    face, so all faces are tried again.
    """
    n = problem.columns.shape[1]
    if n > 10:
        raise ValueError(f"{n} components have too many faces")
    a = problem.weight @ problem.columns
    b = problem.weight @ problem.target
    faces = [
        list(face) for size in range(1, n + 1) for face in itertools.combinations(range(n), size)
    ]
    best, least = None, math.inf
    for face in faces:
        # On sum w = 1, w = e_0 + sum of steps from the face's first component to the others.
        steps = a[:, face[1:]] - a[:, face[:1]]
        inner = np.linalg.lstsq(steps, b - a[:, face[0]], rcond=None)[0]
        w = np.zeros(n)
        w[face] = np.concatenate([[1 - inner.sum()], inner])
        value = float(np.linalg.norm(a @ w - b))
        if w.min() >= -1e-12 and value < least:
            best, least = w, value
    assert best is not None
    scale = max(float(np.abs(a).max()), 1e-300)
    system = np.vstack([a / scale, np.ones(n)])
    goal = system @ best
    shortest = best
    for face in faces:
        w = np.zeros(n)
        w[face] = np.linalg.pinv(system[:, face], rcond=1e-10) @ goal
        fits = np.allclose(system @ w, goal, atol=1e-9)
        if fits and w.min() >= -1e-9 and w @ w < shortest @ shortest - 1e-12:
            shortest = w
    return np.clip(shortest, 0, None)


def gain_columns(
    docs: list[str], rankings: list[list[str]], model: list[float], deepest: int
) -> Vector:
    """The model's gain of each doc's rank in each run, of rank ``deepest`` where it has none."""
    at = {doc: d for d, doc in enumerate(docs)}
    columns = np.full((len(docs), len(rankings)), model[deepest - 1])
    for i, ranking in enumerate(rankings):
        for j, doc in enumerate(ranking, start=1):
            if doc in at:
                columns[at[doc], i] = model[j - 1]
    return columns


class TwoStage(NamedTuple):
    """Estimated gains of all docs, judged or not, and the weights behind them."""

    gains: Gains
    w1: list[Vector]
    w2: Vector
    otherwise: float
    """The gain of a doc that no contributing run returns."""


def two_stage(
    rankings: list[list[str]],
    judged: Gains,
    models: list[list[float]],
    measure: Measure,
    deepest: int,
    solve: Callable[[Problem], Vector] | None,
    loss: Loss = "la",
) -> TwoStage:
    """Algorithm 1, steps 4 to 15; ``solve`` is None for uniform weights in both stages.

    The whole rankings count in the losses, and ``deepest`` is the length of the longest: 1000 for
    TREC runs, though scores are taken at k = 100. Table 2's Rob04 rows come out only so. Judged
    docs that no contributing run returns teach nothing and are left out of the losses.
    """
    docs = sorted({doc for ranking in rankings for doc in ranking})
    known = [doc for doc in docs if doc in judged]
    rows = [d for d, doc in enumerate(docs) if doc in judged]
    target = np.array([judged[doc] for doc in known])
    weight = weight_matrix(known, rankings, measure)

    def weights(columns: Vector) -> Vector:
        n = columns.shape[1]
        if solve is None or not known:
            return np.full(n, 1 / n)
        return solve(Problem(columns[rows], target, weight, loss))

    w1, first, outside = [], [], []
    for model in models:
        columns = gain_columns(docs, rankings, model, deepest)
        w = weights(columns)
        w1.append(w)
        first.append(columns @ w)
        outside.append(model[deepest - 1])
    stacked = np.column_stack(first)
    w2 = weights(stacked)
    gains = dict(zip(docs, [float(gain) for gain in stacked @ w2], strict=True))
    return TwoStage(gains, w1, w2, float(np.array(outside) @ w2))
