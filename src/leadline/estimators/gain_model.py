"""The expected gain of a document by what is known of it: logistic regressions, one a grade."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.estimators.logistic import Logistic, fit_logistic, sigmoid
from leadline.estimators.model_draws import ModelDraws
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s


@dataclass(frozen=True, eq=False)
class GradeStep:
    """A grade at which the gain rises, by how much, and the documents that reach it.

    `feature`, `topic` (in ascending order) and `relevant` have a row a document, judged or not;
    `judged` are the numbers of those that are.
    """

    least: int
    rise: float
    rise_of_square: float
    feature: Floats
    topic: Int64s
    relevant: Bools
    judged: Int64s
    n_topics: int

    @cached_property
    def model(self) -> Logistic:
        """The probability to reach the grade, learnt from the judged documents."""
        rows = self.judged
        of = self.topic[rows]
        return fit_logistic(self.feature[rows], of, self.relevant[rows], self.n_topics)

    @cached_property
    def logit(self) -> Floats:
        """What the model says of every document."""
        return self.model.logit(self.feature, self.topic)

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


def fit_gain_model(evidence: Evidence, feature: Floats, pairs: Int64s | None = None) -> GainModel:
    """The model of these pairs, all without any, from the features of each and the judged ones.

    A feature counts no further than it reaches among the judged documents, and is cut to that: what
    lies beyond, no judgment speaks of.
    """
    rows = np.arange(len(evidence.runs.pairs)) if pairs is None else pairs
    grade, topic = evidence.judgments.grade[rows], evidence.runs.pairs.topic[rows]
    judged = np.flatnonzero(evidence.judgments.judged[rows])
    if len(judged):
        seen = feature[judged]
        # In place: of millions of pairs this is what takes most memory.
        np.clip(feature, seen.min(axis=0), seen.max(axis=0), out=feature)
    table = evidence.gain_table
    return GainModel(
        tuple(
            GradeStep(
                int(least),
                float(table[least] - table[least - 1]),
                float(table[least] ** 2 - table[least - 1] ** 2),
                feature,
                topic.astype(np.int64),
                grade >= least,
                judged,
                len(evidence.runs.pairs.topics),
            )
            for least in np.flatnonzero(np.diff(table) > 0) + 1
        )
    )
