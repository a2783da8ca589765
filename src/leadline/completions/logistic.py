"""Penalised logistic regression: coefficients, and levels of topics, runs or lists."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s

DATA_WEIGHT = 0.3
"""Weight of the data against the penalty on the coefficients."""

TOPIC_SCALE = 2.0
"""A topic's own level is penalised this much less: as an indicator of that height."""

IMPOSSIBLE_LOGIT = -40.0
"""The logit of what is not relevant for sure, where nothing teaches anything else."""

LEVEL_RIDGE = 1e-9
"""Keeps the common level from running away where all documents are alike."""

MAX_STEPS = 50
CONVERGED = 1e-10
"""Promised loss of a step after which no other is needed."""


@dataclass(frozen=True, eq=False)
class Logistic:
    """P(relevant) = 1 / (1 + exp(-(level + level of the topic + coefficient . feature)))."""

    mean: Floats
    scale: Floats
    coefficient: Floats
    level: float
    topic_level: Floats

    def logit(self, feature: Floats, topic: Int32s | Int64s) -> Floats:
        """log(P / (1 - P)) of documents of these topics."""
        standard = (feature - self.mean) / self.scale
        z: Floats = self.level + self.topic_level[topic] + standard @ self.coefficient
        return z

    def probability(self, feature: Floats, topic: Int32s | Int64s) -> Floats:
        """For documents of these topics."""
        return sigmoid(self.logit(feature, topic))


@dataclass(frozen=True, eq=False)
class Curvature:
    """Second derivatives of a penalised loss: of coefficients, once topics have had their part.

    `reduced` [columns, columns] is what is left of them when every topic's level moves along,
    `of_topic` those of the levels, `shared` [topics, columns] those of both.
    """

    reduced: Floats
    of_topic: Floats
    shared: Floats

    @classmethod
    def of(cls, x: Floats, weight: Floats, first: Int64s, ridge: Floats) -> "Curvature":
        """Rows of x, each with its weight, those of a topic together from `first` on."""
        wx = weight[:, None] * x
        of_topic = TOPIC_SCALE**2 * np.add.reduceat(weight, first) + 1.0
        shared = TOPIC_SCALE * np.add.reduceat(wx, first, axis=0)
        reduced = x.T @ wx + np.diag(ridge) - shared.T @ (shared / of_topic[:, None])
        return cls(reduced, of_topic, shared)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow.

    >>> sigmoid(np.array([0.0, -1000.0, 1000.0])).tolist()
    [0.5, 0.0, 1.0]
    """
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def log_loss(logit: Floats, relevant: Bools | Floats) -> Floats:
    """-log of the probability of what is true, document by document."""
    loss: Floats = np.logaddexp(0.0, logit) - relevant * logit
    return loss


def newton(
    at: Floats,
    loss: Callable[[Floats], float],
    direction: Callable[[Floats], tuple[Floats, float]],
) -> Floats:
    """Where a convex loss is least, by Newton's method from `at`.

    `direction` tells the step to take off and the loss that it promises to take away; a step that
    does not keep what it promises is halved.
    """
    now = loss(at)
    for _ in range(MAX_STEPS):
        step, promised = direction(at)
        size = 1.0
        while size > 1e-8:
            after = loss(at - size * step)
            # A loss of so many documents is known to so many digits only.
            slack = 1e-13 * abs(now)
            if after <= now - 1e-4 * size * promised + slack or promised < CONVERGED:
                break
            size /= 2
        at, now = at - size * step, after
        if promised < CONVERGED:
            break
    return at


def fit_logistic(
    feature: Floats,
    topic: Int32s | Int64s,
    relevant: Bools,
    n_topics: int,
    weight: Floats | None = None,
) -> Logistic:
    """The least of .3 * sum(weight * log loss) + |w|^2 / 2 over coefficients and levels.

    The level alone is not penalised. What the topics share with the features is eliminated, so a
    step costs no more than the features do. Rows must be sorted by topic.
    """
    n_features = feature.shape[1]
    if not len(feature):
        nothing = np.zeros(n_features)
        return Logistic(nothing, np.ones(n_features), nothing, IMPOSSIBLE_LOGIT, np.zeros(n_topics))
    c_each = np.full(len(feature), DATA_WEIGHT) if weight is None else DATA_WEIGHT * weight
    mean, deviation = feature.mean(axis=0), feature.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    x = np.column_stack([(feature - mean) / scale, np.ones(len(feature))])
    y = relevant.astype(np.float64)
    present, first = np.unique(topic, return_index=True)
    place = np.searchsorted(present, topic)
    penalty = np.append(np.ones(n_features), 0.0)
    ridge = np.append(np.ones(n_features), LEVEL_RIDGE)
    share = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    start = np.zeros(n_features + 1 + len(present))
    start[n_features] = np.log(share / (1 - share))

    def logit(at: Floats) -> Floats:
        z: Floats = x @ at[: n_features + 1] + TOPIC_SCALE * at[n_features + 1 :][place]
        return z

    def loss(at: Floats) -> float:
        beta, gamma = at[: n_features + 1], at[n_features + 1 :]
        return float(c_each @ log_loss(logit(at), y) + 0.5 * (penalty @ beta**2 + gamma @ gamma))

    def direction(at: Floats) -> tuple[Floats, float]:
        beta, gamma = at[: n_features + 1], at[n_features + 1 :]
        p = sigmoid(logit(at))
        w = c_each * p * (1 - p)
        wrong = c_each * (p - y)
        slope = x.T @ wrong + penalty * beta
        slope_topic = TOPIC_SCALE * np.add.reduceat(wrong, first) + gamma
        curve = Curvature.of(x, w, first, ridge)
        known = curve.shared.T @ (slope_topic / curve.of_topic)
        step = np.linalg.solve(curve.reduced, slope - known)
        step_topic = (slope_topic - curve.shared @ step) / curve.of_topic
        promised = float(slope @ step + slope_topic @ step_topic)
        return np.concatenate([step, step_topic]), promised

    at = newton(start, loss, direction)
    topic_level = np.zeros(n_topics)
    topic_level[present] = TOPIC_SCALE * at[n_features + 1 :]
    return Logistic(mean, scale, at[:n_features], float(at[n_features]), topic_level)


def fit_levels(
    logit: Floats, relevant: Bools, of: Int32s | Int64s, n: int, scale: float, weight: float = 1.0
) -> tuple[Floats, Floats]:
    """How much more often than the logits say the documents of each of n are relevant, in logits.

    `of` tells to which of the n (topics, runs or lists) a document belongs. The level is the least
    of weight * log loss of its documents plus (level / scale)^2 / 2: 0 where there are none. Behind
    it its error.

    >>> level, _ = fit_levels(np.zeros(2), np.array([True, True]), np.array([1, 1]), 2, 1.0)
    >>> level.round(3).tolist()
    [0.0, 0.675]
    """

    def loss(level: Floats) -> float:
        lost = weight * log_loss(logit + level[of], relevant).sum()
        return float(lost + 0.5 * (level @ level) / scale**2)

    def curve(p: Floats) -> Floats:
        width = weight * np.bincount(of, p * (1 - p), n) + 1 / scale**2
        return width.astype(np.float64, copy=False)

    def direction(level: Floats) -> tuple[Floats, float]:
        p = sigmoid(logit + level[of])
        slope = weight * np.bincount(of, p - relevant, n) + level / scale**2
        # Levels do not meet: each step is cut by itself, so that none has to wait for another.
        step: Floats = np.clip(slope / curve(p), -1.0, 1.0)
        return step, float(slope @ step)

    level = newton(np.zeros(n), loss, direction)
    error: Floats = 1 / np.sqrt(curve(sigmoid(logit + level[of])))
    return level, error
