"""Gains learnt from the ranks that all groups give a document."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from leadline.estimators.edge_calibration import Calibration, calibrate
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.estimators.gain_model import GradeStep, fit_gain_model
from leadline.estimators.likeness import likeness
from leadline.estimators.logistic import sigmoid
from leadline.estimators.rank_features import ABSENT, PLACES, rank_features, voices
from leadline.estimators.run_effects import ListEffects
from leadline.tables.arrays import Floats, Int32s
from leadline.tables.runs import UNRANKED

FLOOR = 1e-9
"""Keeps the logarithm of a sum finite where no run returns the document."""

INNER_SHARE = 0.7
"""The share of the pool's depth above its edge."""


@estimators.register
@dataclass(frozen=True)
class Regression(Estimator):
    """Expected gain of a document, learnt from judged ones by the ranks that all groups give it.

    Formula: P(grade >= g) = 1 / (1 + exp(-(level + level of the topic + sum_f b_f * feature_f)))

    One penalised logistic regression for the whole collection and each grade at which the gain
    rises. The runs of a group count together as one voice (evidence=runs: each as one). A document
    that no contributing run returns is at rank 2000 in all. Calibrated by leaving out the edge of
    the pool: what the documents above it say of those at it corrects what all say of those beyond
    it. A run, and then each of its lists, has an effect of its own, as far as its judged documents
    in the first 100 are better or worse than all that says; run_effects=false leaves it out, and
    every list has the same gains. With text=true the words of a document count too: how much it
    reads like the topic's judged relevant documents, and like the others. The tail is worth
    nothing. The standard error comes from `bootstrap` resamples of the topics and from the chance
    in each document's gain; bootstrap=0 leaves it out.

    Beyond the papers: see docs/methods/estimators.md.
    """

    evidence: Literal["groups", "runs"] = "groups"
    calibrate: bool = True
    bootstrap: int = 20
    seed: int = 0
    text: bool = False
    run_effects: bool = True

    aliases: ClassVar[dict[str, str]] = {"own": "run_effects"}

    @property
    def reads(self) -> bool:
        """With text=true."""
        return self.text

    def __post_init__(self) -> None:
        if self.evidence not in ("groups", "runs"):
            raise ValueError(f"evidence must be groups or runs, not {self.evidence}")
        if self.bootstrap < 0 or self.bootstrap == 1:
            raise ValueError(f"bootstrap must be 0, or 2 or more resamples, not {self.bootstrap}")

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The expected gain of every document in every list."""
        runs, judgments = evidence.runs, evidence.judgments
        model = fit_gain_model(evidence, self.features(evidence))
        open_ = np.flatnonzero(~evidence.judged)
        pair, of, weight = runs.pair[open_], runs.entries.list[open_], evidence.weight[open_]
        expected, square = np.zeros(len(open_)), np.zeros(len(open_))
        random = np.random.default_rng(self.seed)
        scores = np.zeros((self.bootstrap, runs.start.size))
        for step in model.steps:
            effects = ListEffects.none(runs)
            if self.run_effects:
                # By what the model says of judged documents: put right are only the others.
                effects = ListEffects.of(runs, judgments, step.logit, step.relevant)
            right = Calibration()
            if self.calibrate:
                right = edge_calibration(step, evidence.contributors.runs.best_rank)
            p = sigmoid(right(step.logit[pair]) + effects.effect[of])
            expected += step.rise * p
            # E[gain^2] = sum over steps of (g^2 - g_below^2) * P(grade or better).
            square += step.rise_of_square * p
            for number in range(self.bootstrap):
                again = right(step.resampled(random))
                p = sigmoid(again[pair] + effects.drawn(runs.names, random)[of])
                scores[number] += np.bincount(of, step.rise * weight * p, runs.start.size)
        guess = np.zeros(len(runs.pair))
        guess[open_] = expected
        if not self.bootstrap:
            return evidence.filled(guess)
        chance = np.maximum(square - expected**2, 0.0)
        variance = scores.var(axis=0, ddof=1)
        variance += np.bincount(of, weight**2 * chance, runs.start.size)
        return evidence.filled(guess, 0.0, np.sqrt(variance).reshape(runs.start.shape))

    def features(self, evidence: Evidence) -> Floats:
        """[pairs, features] of every pair."""
        teachers = evidence.contributors
        voice = voices(teachers.group) if self.evidence == "groups" else np.ones(len(teachers))
        feature = rank_features(teachers.postings, voice, FLOOR, PLACES)
        if not self.text:
            return feature
        if evidence.words is None:
            raise ValueError(f"{self} needs the documents: name them with --docs")
        rel = evidence.weighted.rel
        alike = likeness(evidence.words, evidence.runs.pairs, evidence.judgments, rel)
        return np.concatenate([feature, alike], axis=1)


def edge_calibration(step: GradeStep, best_rank: Int32s) -> Calibration:
    """How the model misses beyond the pool, seen at its edge.

    The edge is what no run has in the first 7 tenths of the pool's depth.
    """
    best = best_rank[step.judged]
    best = np.where(best == UNRANKED, ABSENT, best)
    depth = float(np.quantile(best, 0.99)) if len(best) else 1.0
    inner = best <= max(1, round(INNER_SHARE * depth))
    edge = step.judged[~inner]
    if not inner.any() or not len(edge):
        return Calibration()
    logit = step.fit(step.judged[inner]).logit(step.feature[edge], step.topic[edge])
    return calibrate(logit, step.relevant[edge])
