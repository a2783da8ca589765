"""Gains learnt from the ranks that all groups give a document."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from leadline.completions.coverage import shape_doubts
from leadline.completions.drawn_scores import DrawnScores
from leadline.completions.estimator import TOGETHER, EstimatedGains, Estimator, Evidence, estimators
from leadline.completions.features import PLACES, RankFeatures, fit_doubts, likeness, voices
from leadline.completions.gain_model import FeatureTable, GainModel, fit_gain_model
from leadline.completions.logistic import sigmoid
from leadline.completions.model_worlds import ModelWorlds, grade_steps
from leadline.completions.run_effects import EFFECT_DEPTH, LEAST_EFFECT_DEPTH, ListEffects
from leadline.completions.score_draws import UnjudgedEntries
from leadline.data.arrays import Floats, Int32s, Int64s
from leadline.data.lists import Lists
from leadline.data.mean_estimate import MeanEstimate

FLOOR = 0.01
"""Added to geometric sums, which would otherwise tell a document at rank 300 from one at 400."""

NEGLIGIBLE_SHARE = 0.01
"""Of the weight that is open: so much is left out of standard errors, from the deepest ranks."""


ERROR_FACTOR = 3.0
"""Errors of measures by drawn grades are so many times the spread of draws of one model."""

DEEPEST_ERROR = 20
"""The last rank of a measure whose errors by drawn grades hold."""

UNKNOWN_ERROR = (
    "depends on how many relevant documents there are in all, of which too little is known for an "
    "error: an estimate without one"
)


@estimators.register
@dataclass(frozen=True)
class Regression(Estimator):
    """Expected gain of a document, learnt from judged ones by the ranks that all groups give it.

    Formula: P(grade >= g) = 1 / (1 + exp(-(level + level of the topic + sum_f b_f * feature_f)))

    One penalised logistic regression for the whole collection and each grade at which the gain
    rises. The runs of a group count together as one voice (evidence=runs: each as one). A document
    that no contributing run returns is at rank 2000 in all; no feature counts beyond its range over
    the judged documents. A run, and then each of its lists, has an effect of its own, as far as its
    judged documents down to the pool's depth are better or worse than all that says;
    run_effects=false leaves it out, and every list has the same gains. With text=true the words of
    a document count too: how much it reads like the topic's judged relevant documents, and like the
    others. The tail is worth nothing. Standard errors, of lists, of means over topics and of
    differences, come from joint draws of all that was learnt and from the chance in each document's
    gain; draws=0 leaves them out. Judgments that are neither a pool nor a sample, or that the model
    does not fit at some ranks, have none, and the estimate says why it is in doubt.

    Beyond the papers: see docs/methods/regression.md.
    """

    evidence: Literal["groups", "runs"] = "groups"
    draws: int = 200
    seed: int = 0
    text: bool = False
    run_effects: bool = True
    deep: int = 100

    any_measure = True

    @property
    def reads(self) -> bool:
        """With text=true."""
        return self.text

    def __post_init__(self) -> None:
        if self.evidence not in ("groups", "runs"):
            raise ValueError(f"evidence must be groups or runs, not {self.evidence}")
        if self.draws < 0 or self.draws == 1:
            raise ValueError(f"draws must be 0, or 2 or more, not {self.draws}")
        if self.deep < 1:
            raise ValueError(f"deep must be at least 1, not {self.deep}")

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The expected gain of every document in every list."""
        runs = evidence.runs
        model = fit_gain_model(evidence, self.features(evidence))
        effects = self._effects(evidence, model)
        weights = evidence.weighted.weights(int(runs.length.max(initial=1)))
        guess, variance = np.zeros(len(runs.pair)), np.zeros(runs.start.size)
        for lists, entries in runs.segments(TOGETHER):
            open_ = entries.start + np.flatnonzero(~evidence.judged[entries])
            of, at = runs.entries.list[open_], runs.entries.rank[open_] - 1
            guess[open_], chance = moments(model, effects, runs.pair[open_], of)
            of -= np.int32(lists.start)
            variance[lists] = np.bincount(of, weights[at] ** 2 * chance, lists.stop - lists.start)
        doubts = shape_doubts(evidence) or fit_doubts(evidence, model)
        if doubts or not self.draws:
            return replace(evidence.filled(guess), doubts=doubts)
        rank = runs.entries.rank
        top = np.flatnonzero(~evidence.judged & (rank <= last_open(evidence)))
        drawn_from = UnjudgedEntries(
            runs.entries.list[top], weights[rank[top] - 1], runs.pair[top], runs.start.size
        )
        drawn = np.zeros((self.draws, runs.start.size))
        for step, effect in zip(model.steps, effects, strict=True):
            # Every step begins with the same chances: the grades of a document go together.
            random = np.random.default_rng(self.seed)
            models = step.drawn(self.draws, random)
            moved = effect.drawn(runs.names, self.draws, random)
            moved += np.tile(models.level, len(runs.names))
            logit = step.logit[drawn_from.row] + effect.effect[drawn_from.list]
            shown = step.standard(drawn_from.row)
            drawn += step.rise * drawn_from.drawn_sums(logit, shown, models.coefficient, moved)
        variance += drawn.var(axis=0, ddof=1)
        error = np.sqrt(variance).reshape(runs.start.shape)
        filled = evidence.filled(guess, 0.0, error)
        _, chance = moments(model, effects, drawn_from.row, drawn_from.list)
        of_mean = MeanEstimate(
            evidence.weighted_sums(filled.gain).mean(axis=1),
            mean_covariance(evidence, drawn, drawn_from, chance),
        )
        return replace(filled, of_mean=of_mean)

    def _effects(self, evidence: Evidence, model: GainModel) -> list[ListEffects]:
        """Those of every list, a table for each step."""
        runs, judgments = evidence.runs, evidence.judgments
        if not self.run_effects:
            return [ListEffects.none(runs)] * len(model.steps)
        # By what the model says of judged documents: put right are only the others.
        depth = effect_depth(evidence)
        return [
            ListEffects.of(runs, judgments, step.logit, step.relevant, depth)
            for step in model.steps
        ]

    def drawn(self, evidence: Evidence) -> DrawnScores:
        """Scores of draws in which every document has one grade: see `ModelWorlds`."""
        if not self.draws:
            raise ValueError(
                f"{self} draws nothing, but {evidence.measure} is estimated by draws of grades: "
                "give draws=200"
            )
        model = fit_gain_model(evidence, self.features(evidence), table=grade_steps(evidence))
        effects = self._effects(evidence, model)
        worlds = ModelWorlds(evidence, model, effects, self.draws, self.seed, self.deep)
        doubts = shape_doubts(evidence) or fit_doubts(evidence, model)
        if not told_by_the_top(evidence):
            doubts = (*doubts, f"{evidence.measure} {UNKNOWN_ERROR}")
        factor = None if doubts else ERROR_FACTOR
        return DrawnScores(evidence, worlds.draws(), doubts, factor)

    def features(self, evidence: Evidence) -> FeatureTable:
        """A row for every pair."""
        teachers = evidence.contributors
        voice = voices(teachers.group) if self.evidence == "groups" else np.ones(len(teachers))
        feature = RankFeatures(teachers.postings, voice, FLOOR, PLACES, evidence.runs.pairs.cheap)
        if not self.text:
            return feature
        if evidence.words is None:
            raise ValueError(f"{self} needs the documents: name them with --docs")
        rel: int = getattr(evidence.measure, "rel", 1)
        alike = likeness(evidence.words, evidence.runs.pairs, evidence.judgments, rel)
        return np.concatenate([feature[np.arange(len(feature))], alike], axis=1)


def told_by_the_top(evidence: Evidence) -> bool:
    """Whether a measure's errors by drawn grades were shown to hold: nDCG@10, ERR@20, RR.

    Not of one that documents which nobody has seen could make 0, nor of one that looks deep.
    """
    measure = evidence.measure
    certain = measure.score(Lists.of(evidence.runs, evidence.judgments)).lower
    return (measure.depth or 1) <= DEEPEST_ERROR and bool((certain > 0).any())


def moments(
    model: GainModel, effects: Sequence[ListEffects], row: Int32s | Int64s, of: Int32s | Int64s
) -> tuple[Floats, Floats]:
    """Mean and variance of the gains of documents, by their rows, in lists, by their numbers."""
    expected, square = np.zeros(len(row)), np.zeros(len(row))
    for step, effect in zip(model.steps, effects, strict=True):
        p = sigmoid(step.logit[row] + effect.effect[of])
        expected += step.rise * p
        # E[gain^2] = sum over steps of (g^2 - g_below^2) * P(grade or better).
        square += step.rise_of_square * p
    return expected, np.maximum(square - expected**2, 0.0)


def effect_depth(evidence: Evidence) -> int:
    """The rank down to which a run's judged documents tell of the run itself.

    To the pool's depth: what is judged below it is what other runs have higher, and so no news of
    this one.
    """
    try:
        return min(EFFECT_DEPTH, max(LEAST_EFFECT_DEPTH, evidence.depth))
    except ValueError:
        return EFFECT_DEPTH


def mean_covariance(
    evidence: Evidence, drawn: Floats, entries: UnjudgedEntries, chance: Floats
) -> Floats:
    """[runs, runs]: the covariance of the errors of mean scores, from draws [draws, lists].

    That of the means over the draws, and what is left to chance in each document, whose variance
    is the mean of what its lists say: one document moves every run that returns it.
    """
    from scipy.sparse import csr_array

    n_runs, n_topics = evidence.runs.start.shape
    means = drawn.reshape(len(drawn), n_runs, n_topics).mean(axis=2)
    pair, column = np.unique(entries.row, return_inverse=True)
    variance = np.bincount(column, chance) / np.bincount(column)
    cell = entries.list // n_topics, column
    weight = csr_array((entries.weight / n_topics, cell), shape=(n_runs, len(pair)))
    alone: Floats = (weight * variance @ weight.T).toarray()
    return np.atleast_2d(np.cov(means, rowvar=False)) + alone


def last_open(evidence: Evidence) -> int:
    """The rank beyond which no more lies than a hundredth of the weight of all that is unjudged."""
    n_open = np.bincount(evidence.runs.entries.rank[~evidence.judged], minlength=2)
    by_rank = n_open * np.append(0.0, evidence.weighted.weights(len(n_open) - 1))
    beyond = by_rank[::-1].cumsum()[::-1]
    return int(np.count_nonzero(beyond > NEGLIGIBLE_SHARE * by_rank.sum()))
