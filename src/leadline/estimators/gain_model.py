"""The expected gain of a document by what is known of it: logistic regressions, one a grade."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.estimators.logistic import (
    DATA_WEIGHT,
    TOPIC_SCALE,
    Logistic,
    fit_levels,
    fit_logistic,
    sigmoid,
)
from leadline.tables.arrays import Bools, Floats, Int64s


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
        return self.fit(self.judged)

    @cached_property
    def logit(self) -> Floats:
        """What the model says of every document."""
        return self.model.logit(self.feature, self.topic)

    def fit(self, rows: Int64s, topic: Int64s | None = None) -> Logistic:
        """The model of some documents, as if they were of these topics."""
        of = self.topic[rows] if topic is None else topic
        return fit_logistic(self.feature[rows], of, self.relevant[rows], self.n_topics)

    def resampled(self, random: np.random.Generator) -> Floats:
        """The logits of all documents as they might be too.

        Coefficients come from topics drawn with replacement; the level of a topic is drawn from
        what its own few judged documents leave open.
        """
        start = np.searchsorted(self.topic[self.judged], np.arange(self.n_topics + 1))
        drawn = random.integers(self.n_topics, size=self.n_topics)
        size = np.diff(start)[drawn]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        rows = self.judged[np.repeat(start[:-1][drawn], size) + within]
        again = self.fit(rows, np.repeat(np.arange(self.n_topics), size))
        blank = replace(again, topic_level=np.zeros(self.n_topics))
        logit, topic = blank.logit(self.feature, self.topic), self.topic
        level, error = fit_levels(
            logit[self.judged],
            self.relevant[self.judged],
            topic[self.judged],
            self.n_topics,
            TOPIC_SCALE,
            DATA_WEIGHT,
        )
        level = level + error * random.standard_normal(self.n_topics)
        moved: Floats = logit + level[topic]
        return moved


@dataclass(frozen=True, eq=False)
class GainModel:
    """The expected gain is the sum over steps of rise * P(grade or better)."""

    steps: tuple[GradeStep, ...]

    def gains(self, rows: Int64s, effects: Sequence[Floats] | None = None) -> Floats:
        """The expected gain of these documents, each step's logits with these effects added."""
        gain = np.zeros(len(rows))
        for at, step in enumerate(self.steps):
            effect = 0.0 if effects is None else effects[at]
            gain += step.rise * sigmoid(step.logit[rows] + effect)
        return gain


def fit_gain_model(evidence: Evidence, feature: Floats, pairs: Int64s | None = None) -> GainModel:
    """The model of these pairs, all without any, from the features of each and the judged ones."""
    rows = np.arange(len(evidence.runs.pairs)) if pairs is None else pairs
    grade, topic = evidence.judgments.grade[rows], evidence.runs.pairs.topic[rows]
    judged = np.flatnonzero(evidence.judgments.judged[rows])
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
