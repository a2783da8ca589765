"""Who is best, with which probability: scores of all runs over completions."""

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace

import numpy as np

from leadline.completions.draw import N_DRAWS, Completions
from leadline.completions.model import RelevanceModel
from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE
from leadline.measures.measure import Weighted

N_NORMAL = 2000
"""Draws from the normal distribution of scores, to tell a probability of .95 from one of .94."""


N_REPLAYED = 3
"""Completions in which a forecast is replayed."""


@dataclass(frozen=True, eq=False)
class ScorePosterior:
    """All runs' mean scores together, as normal with the mean and covariance of completions.

    `expected` are the mean gains of the pairs that have a weight: of judged ones their own.
    `replayed` [pairs, few] are their gains in the first completions.
    """

    runs: Runs
    mean: Floats
    covariance: Floats
    expected: Floats
    replayed: Floats

    @classmethod
    def of(cls, completions: Completions, measure: Weighted) -> "ScorePosterior":
        """Return that of some completions."""
        runs = completions.runs
        weights = PairWeights.of(runs, measure)
        gain = measure.gain(completions.judgments.max_grade)
        expected = completions.mean_gain(gain)[weights.pair]
        drawn = completions.sums(weights.matrix, gain, weights.pair)
        replayed = gain[completions.first_grades(N_REPLAYED, weights.pair)]
        n = len(runs.names)
        covariance: Floats = np.cov(drawn, rowvar=False).reshape(n, n)
        return cls(runs, drawn.mean(axis=0), covariance, expected, replayed)

    @cached_property
    def draws(self) -> Floats:
        """[draws, runs]; the same whatever the order of the runs."""
        by_name = np.argsort(self.runs.place_by_name)
        size, axes = np.linalg.eigh(self.covariance[np.ix_(by_name, by_name)])
        normal = np.random.default_rng(0).standard_normal((N_NORMAL, len(size)))
        scores = np.empty((N_NORMAL, len(size)))
        scores[:, by_name] = (normal * np.sqrt(np.maximum(size, 0.0))) @ axes.T
        return scores + self.mean

    def best(self, k: int = 1) -> Bools:
        """Return the k runs with the highest mean, of equals the first by name."""
        order = np.lexsort((self.runs.place_by_name, -np.round(self.mean / SCORE_NOISE)))
        chosen = np.zeros(len(order), np.bool_)
        chosen[order[:k]] = True
        return chosen

    def confidence(self, best: Bools, within: float) -> float:
        """Return the probability that no other run beats one of these by more than `within`."""
        if best.all():
            return 1.0
        ahead = self.draws[:, ~best].max(axis=1) - self.draws[:, best].min(axis=1)
        return float((ahead <= within).mean())

    def ahead(self, of: int) -> Floats:
        """Return the probability of each run to be better than this one."""
        from scipy.special import ndtr

        own = np.diag(self.covariance)
        variance = own + own[of] - 2 * self.covariance[of]
        deviation = np.sqrt(np.maximum(variance, SCORE_NOISE**2))
        chance: Floats = ndtr((self.mean - self.mean[of]) / deviation)
        chance[of] = 0.0
        return chance


class WinnerModel:
    """The relevance model refitted as judgments come in, for the pairs that a measure weighs."""

    def __init__(self, runs: Runs, measure: Weighted, model: RelevanceModel | None = None) -> None:
        """Start from a model of the same runs if one is given."""
        self.runs, self.measure, self.model = runs, measure, model
        self.weights = PairWeights.of(runs, measure)

    def posterior(self, judgments: Judgments) -> ScorePosterior:
        """Return the posterior of all scores; the fit starts from the one before."""
        return ScorePosterior.of(self.completions(judgments, N_DRAWS, 0), self.measure)

    def completions(self, judgments: Judgments, n: int, seed: int) -> Completions:
        """Return n completions of the pairs that have a weight."""
        if self.model is None:
            model = RelevanceModel.of(self.runs, judgments)
        else:
            source = SimpleNamespace(runs=self.runs, judgments=judgments)
            everyone = np.ones(len(self.runs.names), np.bool_)
            model = RelevanceModel.fit(source, pooled=everyone, warm=self.model)
        self.model = model
        inside = np.zeros(len(self.runs.pairs), np.bool_)
        inside[self.weights.pair] = True
        return model.draw(n, seed, inside=inside)
