"""Gains learnt from the ranks that all groups give a document."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from leadline.estimators.edge_calibration import Calibration, calibrate
from leadline.estimators.estimator import (
    Estimated,
    Estimator,
    entry_weights,
    estimators,
    filled,
    list_of,
)
from leadline.estimators.group_evidence import best_ranks, group_evidence
from leadline.estimators.likeness import likeness
from leadline.estimators.list_levels import ListLevels
from leadline.estimators.regression import TOPIC_SCALE, C, Logistic, fit_logistic, sigmoid
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

NOTHING = -40.0
"""The logit of what is not relevant for sure, where nothing teaches anything else."""


@estimators.register
@dataclass(frozen=True)
class Regression(Estimator):
    """Expected gain of a document, learnt from judged ones by the ranks that all groups give it.

    Formula: P(grade >= g) = 1 / (1 + exp(-(level + level of the topic + sum_f b_f * feature_f)))

    One penalised logistic regression for the whole collection and each grade at which the gain
    rises. The runs of a group count together as one voice (evidence=runs: each as one). A document
    that no contributing run returns is at rank 2000 in all. Calibrated by leaving out the edge of
    the pool: what the documents above it say of those at it corrects what all say of those beyond
    it. A run, and then each of its lists, has a level of its own, as far as its judged documents in
    the first 100 are better or worse than all that says; own=false leaves it out, and every list
    has the same gains. With text=true the words of a document count too: how much it reads like the
    topic's judged relevant documents, and like the others. The tail is worth nothing. The standard
    error comes from `bootstrap` resamples of the topics and from the chance in each document's
    gain; bootstrap=0 leaves it out.

    Beyond the papers: see docs/methods/estimators.md.
    """

    evidence: Literal["groups", "runs"] = "groups"
    calibrate: bool = True
    bootstrap: int = 20
    seed: int = 0
    text: bool = False
    own: bool = True

    @property
    def reads(self) -> bool:
        """With text=true."""
        return self.text

    def __post_init__(self) -> None:
        if self.evidence not in ("groups", "runs"):
            raise ValueError(f"evidence must be groups or runs, not {self.evidence}")
        if self.bootstrap < 0 or self.bootstrap == 1:
            raise ValueError(f"bootstrap must be 0, or 2 or more resamples, not {self.bootstrap}")

    def gains(
        self,
        measure: Weighted,
        runs: Runs,
        judgments: Judgments,
        pool: Pool | None = None,
        contributing: Bools | None = None,
        words: WordCounts | None = None,
    ) -> Estimated:
        """The expected gain of every document in every list."""
        teaching = runs if contributing is None else runs.only(contributing)
        feature = group_evidence(teaching, self.evidence == "groups")
        if self.text:
            if words is None:
                raise ValueError(f"{self} needs the documents: name them with --docs")
            alike = likeness(words, runs.pairs, judgments, measure.rel)
            feature = np.concatenate([feature, alike], axis=1)
        best = best_ranks(teaching)
        open_ = np.flatnonzero(~judgments.judged[runs.pair])
        pair, of = runs.pair[open_], list_of(runs)[open_]
        weight = entry_weights(measure, runs)[open_]
        everything = np.arange(len(runs.pairs))
        table = measure.gain(judgments.max_grade)
        expected, square = np.zeros(len(open_)), np.zeros(len(open_))
        random = np.random.default_rng(self.seed)
        scores = np.zeros((self.bootstrap, runs.start.size))
        for least in np.flatnonzero(np.diff(table) > 0) + 1:
            rise = float(table[least] - table[least - 1])
            task = Task(feature, best, runs, judgments, judgments.grade >= least)
            model = task.fit()
            right = task.calibration() if self.calibrate else Calibration()
            logit = task.logits(model, everything)
            levels = ListLevels.none(runs)
            if self.own:
                # By what the model says of judged documents: put right are only the others.
                levels = ListLevels.of(runs, judgments, logit, task.relevant)
            p = sigmoid(right(logit[pair]) + levels.level[of])
            expected += rise * p
            # E[gain^2] = sum over steps of (g^2 - g_below^2) * P(grade or better).
            square += float(table[least] ** 2 - table[least - 1] ** 2) * p
            for number in range(self.bootstrap):
                again = right(task.logits(task.resampled(model, random), everything))
                p = sigmoid(again[pair] + levels.drawn(random)[of])
                scores[number] += np.bincount(of, rise * weight * p, runs.start.size)
        guess = np.zeros(len(runs.pair))
        guess[open_] = expected
        made = filled(measure, runs, judgments, guess, np.zeros(runs.start.shape))
        if not self.bootstrap:
            return made
        chance = np.maximum(square - expected**2, 0.0)
        variance = scores.var(axis=0, ddof=1)
        variance += np.bincount(of, weight**2 * chance, runs.start.size)
        return replace(made, standard_error=np.sqrt(variance).reshape(runs.start.shape))


@dataclass(frozen=True, eq=False)
class Task:
    """To tell the pairs that are relevant from their features, given those that are judged."""

    feature: Floats
    best: Floats
    runs: Runs
    judgments: Judgments
    relevant: Bools

    @property
    def n_topics(self) -> int:
        """All of them, judged or not."""
        return len(self.runs.pairs.topics)

    def fit(self, chosen: Bools | None = None) -> Logistic:
        """The model of the judged pairs, or of some of them."""
        rows = np.flatnonzero(self.judgments.judged if chosen is None else chosen)
        return self._fit(rows, self.runs.pairs.topic[rows].astype(np.int64))

    def _fit(self, rows: Int64s, topic: Int64s) -> Logistic:
        n = max(self.n_topics, int(topic.max(initial=0)) + 1)
        if not len(rows):
            none = np.zeros(self.feature.shape[1])
            return Logistic(none, np.ones(len(none)), none, NOTHING, np.zeros(n))
        return fit_logistic(self.feature[rows], topic, self.relevant[rows], n)

    def logits(self, model: Logistic, rows: Int64s) -> Floats:
        """log(p / (1 - p)) of these pairs."""
        standard = (self.feature[rows] - model.mean) / model.scale
        level = model.level + model.topic_level[self.runs.pairs.topic[rows]]
        z: Floats = level + standard @ model.coefficient
        return z

    def calibration(self) -> Calibration:
        """How the model misses beyond the pool, seen at its edge.

        The edge is what no run has in the first 7 tenths of the pool's depth.
        """
        judged = self.judgments.judged
        depth = float(np.quantile(self.best[judged], 0.99)) if judged.any() else 1.0
        inner = judged & (self.best <= max(1, round(0.7 * depth)))
        edge = np.flatnonzero(judged & ~inner)
        if not inner.any() or not len(edge):
            return Calibration()
        return calibrate(self.logits(self.fit(inner), edge), self.relevant[edge])

    def resampled(self, model: Logistic, random: np.random.Generator) -> Logistic:
        """Coefficients from topics drawn with replacement; levels of topics from their own pairs.

        A level is drawn from what its few judged documents leave open.
        """
        judged = np.flatnonzero(self.judgments.judged)
        topic = self.runs.pairs.topic[judged]
        start = np.searchsorted(topic, np.arange(self.n_topics + 1))
        drawn = random.integers(self.n_topics, size=self.n_topics)
        size = np.diff(start)[drawn]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        rows = judged[np.repeat(start[:-1][drawn], size) + within]
        again = self._fit(rows, np.repeat(np.arange(self.n_topics), size))
        fixed = replace(again, topic_level=np.zeros(self.n_topics))
        gamma: Floats = np.zeros(self.n_topics)
        curve: Floats = np.ones(self.n_topics)
        z, y = self.logits(fixed, judged), self.relevant[judged]
        for _ in range(15):
            p = sigmoid(z + TOPIC_SCALE * gamma[topic])
            slope = C * TOPIC_SCALE * np.bincount(topic, p - y, self.n_topics) + gamma
            wide = np.bincount(topic, p * (1 - p), self.n_topics).astype(np.float64)
            curve = C * TOPIC_SCALE**2 * wide + 1
            step: Floats = np.clip(slope / curve, -2.0, 2.0)
            gamma = gamma - step
        gamma = gamma + random.standard_normal(self.n_topics) / np.sqrt(curve)
        return replace(fixed, topic_level=TOPIC_SCALE * gamma)
