"""Gains learnt from ranks: how the evidence of all runs relates to relevance."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.estimators.evidence import evidence
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

C = 0.3
"""Weight of the data against the penalty on the coefficients."""

TOPIC_SCALE = 2.0
"""A topic's own level is penalised this much less: as an indicator of that height."""

OWN_DEPTH = 100
"""A run's own level is learnt from its judged documents down to this rank."""

OWN_SCALE = 1.0
"""How far from 0 the own levels of runs are expected, in logits."""

STEPS = 50
ENOUGH = 1e-10


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


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow.

    >>> sigmoid(np.array([0.0, -1000.0, 1000.0])).tolist()
    [0.5, 0.0, 1.0]
    """
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)


def fit_logistic(
    feature: Floats,
    topic: Int32s | Int64s,
    relevant: Bools,
    n_topics: int,
    weight: Floats | None = None,
    c: float = C,
) -> Logistic:
    """The least of c * sum(weight * log loss) + |w|^2 / 2 over coefficients and levels.

    The level alone is not penalised. Newton's method: what the topics share with the features is
    eliminated, so a step costs no more than the features do. Rows must be sorted by topic.
    """
    c_each = np.full(len(feature), c) if weight is None else c * weight
    mean, deviation = feature.mean(axis=0), feature.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    x = np.column_stack([(feature - mean) / scale, np.ones(len(feature))])
    y = relevant.astype(np.float64)
    present, first = np.unique(topic, return_index=True)
    place = np.searchsorted(present, topic)
    penalty = np.append(np.ones(feature.shape[1]), 0.0)
    share = np.clip(y.mean(), 1e-6, 1 - 1e-6)
    beta = np.zeros(x.shape[1])
    beta[-1] = np.log(share / (1 - share))
    gamma = np.zeros(len(present))

    def loss(beta: Floats, gamma: Floats) -> float:
        z = x @ beta + TOPIC_SCALE * gamma[place]
        terms = np.logaddexp(0.0, z) - y * z
        return float(c_each @ terms + 0.5 * (penalty @ beta**2 + gamma @ gamma))

    now = loss(beta, gamma)
    for _ in range(STEPS):
        p = sigmoid(x @ beta + TOPIC_SCALE * gamma[place])
        w = c_each * p * (1 - p)
        wrong = c_each * (p - y)
        slope = x.T @ wrong + penalty * beta
        slope_topic = TOPIC_SCALE * np.add.reduceat(wrong, first) + gamma
        wx = w[:, None] * x
        curve = x.T @ wx + np.diag(penalty)
        # A tiny ridge keeps the level from running away where all documents are alike.
        curve[-1, -1] += 1e-9
        curve_topic = TOPIC_SCALE**2 * np.add.reduceat(w, first) + 1.0
        shared = TOPIC_SCALE * np.add.reduceat(wx, first, axis=0)
        reduced = curve - shared.T @ (shared / curve_topic[:, None])
        step = np.linalg.solve(reduced, slope - shared.T @ (slope_topic / curve_topic))
        step_topic = (slope_topic - shared @ step) / curve_topic
        gain = float(slope @ step + slope_topic @ step_topic)
        size = 1.0
        while size > 1e-8:
            after = loss(beta - size * step, gamma - size * step_topic)
            if after <= now - 1e-4 * size * gain or gain < ENOUGH:
                break
            size /= 2
        beta, gamma, now = beta - size * step, gamma - size * step_topic, after
        if gain < ENOUGH:
            break
    topic_level = np.zeros(n_topics)
    topic_level[present] = TOPIC_SCALE * gamma
    return Logistic(mean, scale, beta[:-1], float(beta[-1]), topic_level)


def own_levels(
    logit: Floats, relevant: Bools, of: Int64s, n: int, scale: float = OWN_SCALE
) -> tuple[Floats, Floats]:
    """How much more often than the model says each run's judged documents are relevant, in logits.

    `of` tells to which of n runs, or lists, a document belongs. The level is the least of the log
    loss of its documents plus (level / scale)^2 / 2: 0 where there are none. Behind it its error.

    >>> own_levels(np.zeros(2), np.array([True, True]), np.array([1, 1]), 2)[0].round(3).tolist()
    [0.0, 0.675]
    """
    level: Floats = np.zeros(n)
    for _ in range(STEPS):
        p = sigmoid(logit + level[of])
        slope = np.bincount(of, p - relevant, n) + level / scale**2
        curve = np.bincount(of, p * (1 - p), n) + 1 / scale**2
        step = np.clip(slope / curve, -1.0, 1.0)
        level = level - step
        if np.abs(step).max(initial=0.0) < ENOUGH:
            break
    error: Floats = 1 / np.sqrt(curve)
    return level, error


@dataclass(frozen=True, eq=False)
class Step:
    """A grade at which the gain rises, by how much, and the model of reaching it."""

    least: int
    rise: float
    model: Logistic


@dataclass(frozen=True, eq=False)
class Learnt:
    """What the judged documents teach: an expected gain for every pair of the collection.

    The expected gain is the sum over steps of rise * P(grade or better).
    """

    feature: Floats
    judgments: Judgments
    steps: tuple[Step, ...]

    def gains(self, pair: Int32s | Int64s) -> Floats:
        """The expected gain of these pairs, whoever returns them."""
        return self._gains(pair, [np.zeros(1)] * len(self.steps), np.zeros(len(pair), np.int64))

    def gains_in(self, runs: Runs, pair: Int32s | Int64s, run: Int64s) -> Floats:
        """The expected gain of these pairs in the runs that return them.

        A run whose judged documents are better than the model says has better unjudged ones too:
        it has a level of its own, learnt from its judged documents in the first ranks.
        """
        top = runs.only(np.ones(len(runs.names), np.bool_), OWN_DEPTH)
        of = np.repeat(np.arange(len(runs.names)), (top.stop - top.start).sum(axis=1))
        known = self.judgments.judged[top.pair]
        mine, of = top.pair[known], of[known]
        grade = self.judgments.grade[mine]
        levels = []
        for step in self.steps:
            logit = step.model.logit(self.feature[mine], runs.pairs.topic[mine])
            levels.append(own_levels(logit, grade >= step.least, of, len(runs.names))[0])
        return self._gains(pair, levels, run)

    def _gains(self, pair: Int32s | Int64s, levels: list[Floats], run: Int64s) -> Floats:
        feature, topic = self.feature[pair], self.judgments.pairs.topic[pair]
        total = np.zeros(len(pair))
        for step, level in zip(self.steps, levels, strict=True):
            total += step.rise * sigmoid(step.model.logit(feature, topic) + level[run])
        return total


def learn(known: dict[Any, Any], runs: Runs, judgments: Judgments, measure: Weighted) -> Learnt:
    """The expected gains of a weighted measure, from the judged documents and the runs' ranks.

    `known` keeps the evidence for other judgments of the same runs.
    """
    if "evidence" not in known:
        known["evidence"] = evidence(runs)
    feature: Floats = known["evidence"]
    topic = runs.pairs.topic
    judged = np.flatnonzero(judgments.judged)
    gain = measure.gain(judgments.max_grade)
    grade = judgments.grade[judged]
    steps = []
    for least in range(1, len(gain)):
        rise = float(gain[least] - gain[least - 1])
        relevant = grade >= least
        # Pairs are sorted by topic, so the judged ones are.
        if rise != 0 and len(judged):
            model = fit_logistic(feature[judged], topic[judged], relevant, len(runs.pairs.topics))
            steps.append(Step(least, rise, model))
    return Learnt(feature, judgments, tuple(steps))
