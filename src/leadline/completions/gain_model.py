"""The expected gain of a document by what is known of it: logistic regressions, one a grade."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from leadline.completions.estimator import Evidence
from leadline.completions.logistic import Logistic, fit_logistic, log_loss, newton, sigmoid
from leadline.completions.model_draws import ModelDraws
from leadline.data.arrays import Bools, Floats, Int32s, Int64s

TOGETHER = 1 << 15
"""Documents whose features are held at once: those of millions would take most of the memory."""


class FeatureTable(Protocol):
    """A row of features for each document: an array, or what works them out when asked."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Int32s | Int64s, /) -> Floats: ...


@dataclass(frozen=True, eq=False)
class CutFeatures:
    """Features that count no further than they reach among the judged documents.

    What lies beyond, no judgment speaks of.
    """

    table: FeatureTable
    least: Floats
    most: Floats

    @classmethod
    def to(cls, table: FeatureTable, judged: Int64s) -> "CutFeatures":
        """Cut to the range of these rows; not at all where there are none."""
        seen = table[judged]
        if not len(judged):
            return cls(table, np.array(-np.inf), np.array(np.inf))
        return cls(table, seen.min(axis=0), seen.max(axis=0))

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, rows: Int32s | Int64s) -> Floats:
        """[rows, features] of some documents."""
        feature = self.table[rows]
        return np.clip(feature, self.least, self.most, out=feature)


@dataclass(frozen=True, eq=False)
class GradeStep:
    """A grade at which the gain rises, by how much, and the documents that reach it.

    `feature`, `topic` (in ascending order), `relevant` and `logit`, what the model says, have a row
    a document, judged or not; `judged` are the numbers of those that are.
    """

    least: int
    rise: float
    rise_of_square: float
    feature: FeatureTable
    topic: Int32s
    relevant: Bools
    logit: Floats
    judged: Int64s
    n_topics: int

    @cached_property
    def model(self) -> Logistic:
        """The probability to reach the grade, learnt from the judged documents."""
        rows = self.judged
        of = self.topic[rows]
        return fit_logistic(self.feature[rows], of, self.relevant[rows], self.n_topics)

    @property
    def knows(self) -> bool:
        """Whether some judged documents reach the grade, and some do not."""
        reached = self.relevant[self.judged]
        return bool(reached.any() and not reached.all())

    @cached_property
    def evidence(self) -> Floats:
        """What the features say of each document, in deviations of what they say of judged ones."""
        told = self.logit - self.model.topic_level[self.topic]
        known = told[self.judged]
        if not len(known) or not known.std() > 0:
            return np.zeros(len(told))
        standard: Floats = (told - known.mean()) / known.std()
        return standard

    @cached_property
    def unshrunk(self) -> Floats:
        """logit + a + b * evidence + c * level of the topic, by judged documents at full weight.

        The penalty of the fit draws levels of topics together, the more so the rarer the grade:
        where few reach it, too many documents of topics that have none would.
        """
        level = self.model.topic_level[self.topic]
        x = np.stack([np.ones(len(level)), self.evidence, level], axis=1)
        known, logit, relevant = x[self.judged], self.logit[self.judged], self.relevant[self.judged]

        def loss(at: Floats) -> float:
            return float(log_loss(logit + known @ at, relevant).sum() + 0.5 * (at @ at))

        def direction(at: Floats) -> tuple[Floats, float]:
            p = sigmoid(logit + known @ at)
            slope = known.T @ (p - relevant) + at
            curve = (known.T * (p * (1 - p))) @ known + np.eye(3)
            step = np.linalg.solve(curve, slope).astype(np.float64, copy=False)
            return step, float(slope @ step)

        moved: Floats = self.logit + x @ newton(np.zeros(3), loss, direction)
        return moved

    def standard(self, rows: Int32s | Int64s) -> Floats:
        """The features of these documents as the model sees them."""
        return (self.feature[rows] - self.model.mean) / self.model.scale

    def drawn(self, n: int, random: np.random.Generator) -> ModelDraws:
        """n models as they might be too, by what the judged documents leave open."""
        rows = self.judged
        known = self.feature[rows], self.topic[rows], self.relevant[rows]
        return ModelDraws.of(self.model, *known, n, random)


@dataclass(frozen=True, eq=False)
class GainModel:
    """The expected gain is the sum over steps of rise * P(grade or better)."""

    steps: tuple[GradeStep, ...]

    def gains(self, rows: Int32s | Int64s, effects: Sequence[Floats] | None = None) -> Floats:
        """The expected gain of these documents, each step's logits with these effects added."""
        gain = np.zeros(len(rows))
        for at, step in enumerate(self.steps):
            effect = 0.0 if effects is None else effects[at]
            gain += step.rise * sigmoid(step.logit[rows] + effect)
        return gain


def fit_gain_model(
    evidence: Evidence,
    feature: FeatureTable,
    pairs: Int64s | None = None,
    table: Floats | None = None,
) -> GainModel:
    """The model of these pairs, all without any, from the features of each and the judged ones.

    `table` is the gain of each grade, the measure's own without it.
    """
    rows = slice(None) if pairs is None else pairs
    grade, topic = evidence.judgments.grade[rows], evidence.runs.pairs.topic[rows]
    judged = np.flatnonzero(evidence.judgments.judged[rows])
    cut = CutFeatures.to(feature, judged)
    table = evidence.gain_table if table is None else table
    steps = tuple(
        GradeStep(
            int(least),
            float(table[least] - table[least - 1]),
            float(table[least] ** 2 - table[least - 1] ** 2),
            cut,
            topic,
            grade >= least,
            np.empty(len(grade)),
            judged,
            len(evidence.runs.pairs.topics),
        )
        for least in np.flatnonzero(np.diff(table) > 0) + 1
    )
    for begin in range(0, len(grade), TOGETHER):
        some = np.arange(begin, min(begin + TOGETHER, len(grade)))
        known = cut[some]
        for step in steps:
            step.logit[some] = step.model.logit(known, topic[some])
    return GainModel(steps)
