"""What a model expects of all runs' scores, and how far it may be off: a posterior of scores."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from leadline.completions.logistic import newton, sigmoid
from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE
from leadline.measures.measure import Weighted

TOPIC_SCALE = 1.0
"""How far from 0 the levels of topics are expected, in logits."""

RUN_SCALE = 1.5
"""How far the documents that one run alone returns are expected to differ, in logits."""

LEVEL_PRECISION = 0.01
"""Of the level before anything is known: nearly none."""

VARIANCE_FACTOR = 3.0
"""The model is too sure of itself, the more so the less its judged documents are like the rest."""

USUAL_LEVEL, USUAL_SLOPE, USUAL_SPREAD = -1.4, 1.0, 0.5
USUAL_FEATURE = 1
"""While nothing is judged: the level and what log(.01 + sum .95^rank) adds, in logits."""

N_DRAWS = 2000
MOST_EFFECTS = 5000
"""More topics and runs than that would take gigabytes."""


class ScoreModel:
    """logit P(p is relevant) = level + b x_p + u_topic + sum of v_r / (runs that return p).

    x are what the ranks say of a document. A document that only one run returns says much about
    that run's others, one that all return little about any. Coefficients b, u / 1.0 and v / 1.5 are
    expected to be standard normal; a gain between 0 and 1 counts as that share of a relevant one.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        from scipy.sparse import csr_array, hstack

        n_topics, n_runs = len(runs.pairs.topics), len(runs.names)
        if n_topics + n_runs > MOST_EFFECTS:
            raise ValueError(
                f"a model of {n_topics:,} topics and {n_runs:,} runs is too large: "
                f"at most {MOST_EFFECTS:,} together"
            )
        self.weights = PairWeights.of(runs, measure)
        pair = self.weights.pair
        x = feature = self.weights.feature
        if len(feature):
            spread = feature.std(axis=0)
            x = (feature - feature.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        returned = (self.weights.matrix.T != 0).astype(np.float64)
        share = returned.multiply(1 / np.maximum(returned.sum(axis=1), 1.0)[:, None])
        row = np.arange(len(pair))
        topic = csr_array((np.ones(len(pair)), (row, self.weights.topic)), (len(pair), n_topics))
        known = csr_array(np.column_stack([np.ones(len(pair)), x]))
        parts = [known, TOPIC_SCALE * topic, RUN_SCALE * share]
        self.design = csr_array(hstack(parts, format="csr"))
        self.penalty = np.ones(self.design.shape[1])
        self.penalty[0] = LEVEL_PRECISION
        self.at = np.zeros(len(self.penalty))

    def posterior(self, judged: Bools, gain: Floats) -> "ScorePosterior":
        """Of the scores, given the gains of the judged among the pairs that have a weight."""
        rows = np.flatnonzero(judged)
        # From where the last fit ended: a batch moves it little.
        self.at, precision = self._fit(rows, gain[rows])
        covariance = np.linalg.inv(precision)
        left = np.flatnonzero(~judged)
        design = self.design[left]
        logit = design @ self.at
        variance = np.asarray(design.multiply(design @ covariance).sum(axis=1)).ravel()
        # The mean of a logistic curve over a normal, nearly.
        expected = np.where(judged, gain, 0.0)
        expected[left] = sigmoid(logit / np.sqrt(1 + np.pi * variance / 8))
        chance = expected[left] * (1 - expected[left])
        weight = self.weights.matrix[:, left]
        moved = (weight * chance @ design).toarray()
        spread = moved @ covariance @ moved.T + (weight * chance @ weight.T).toarray()
        mean = self.weights.scores(expected)
        return ScorePosterior(self.weights.runs, mean, VARIANCE_FACTOR * spread, expected)

    def worlds(self, judged: Bools, gain: Floats, n: int, seed: int) -> Floats:
        """[n, pairs]: gains of all pairs as they might be, 0 or 1 where nobody judged.

        Drawn from the posterior; while nothing is judged, from what is usual: the higher a document
        is ranked by the runs together the likelier it is relevant, about one in four of all.
        """
        random = np.random.default_rng(seed)
        usual = np.zeros(len(self.penalty))
        if judged.any():
            rows = np.flatnonzero(judged)
            self.at, precision = self._fit(rows, gain[rows])
            spread = np.linalg.cholesky(np.linalg.inv(precision))
            drawn = self.at + random.standard_normal((n, len(spread))) @ spread.T
        else:
            usual[0], usual[1 + USUAL_FEATURE] = USUAL_LEVEL, USUAL_SLOPE
            drawn = usual + USUAL_SPREAD * random.standard_normal((n, len(usual)))
            drawn[:, 0] = USUAL_LEVEL
        chance = sigmoid((self.design @ drawn.T).T)
        found = (random.random(chance.shape) < chance).astype(np.float64)
        return np.where(judged, gain, found)

    def _fit(self, rows: Int64s, gain: Floats) -> tuple[Floats, Floats]:
        """The coefficients that fit best, and the curvature there."""
        design: Any = self.design[rows]

        def loss(at: Floats) -> float:
            logit = design @ at
            return float((np.logaddexp(0.0, logit) - gain * logit).sum()) + 0.5 * float(
                self.penalty @ at**2
            )

        def curvature(at: Floats) -> Floats:
            p = sigmoid(design @ at)
            curve: Floats = (design.T @ design.multiply((p * (1 - p))[:, None])).toarray()
            curve[np.diag_indices_from(curve)] += self.penalty
            return curve

        def direction(at: Floats) -> tuple[Floats, float]:
            slope = design.T @ (sigmoid(design @ at) - gain) + self.penalty * at
            step = np.linalg.solve(curvature(at), slope)
            return step, float(slope @ step)

        best = newton(self.at, loss, direction)
        return best, curvature(best)


@dataclass(frozen=True, eq=False)
class ScorePosterior:
    """All runs' mean scores together, as normal with this mean and covariance.

    `expected` are the gains of the pairs that have a weight, judged or expected.
    """

    runs: Runs
    mean: Floats
    covariance: Floats
    expected: Floats
    kept: dict[tuple[bytes, float], float] = field(default_factory=dict)

    @cached_property
    def draws(self) -> Floats:
        """[draws, runs]; the same whatever the order of the runs."""
        by_name = np.argsort(self.runs.place_by_name)
        size, axes = np.linalg.eigh(self.covariance[np.ix_(by_name, by_name)])
        normal = np.random.default_rng(0).standard_normal((N_DRAWS, len(size)))
        scores = np.empty((N_DRAWS, len(size)))
        scores[:, by_name] = (normal * np.sqrt(np.maximum(size, 0.0))) @ axes.T
        return scores + self.mean

    def best(self, k: int = 1) -> Bools:
        """The k runs with the highest mean, of equals the first by name."""
        order = np.lexsort((self.runs.place_by_name, -np.round(self.mean / SCORE_NOISE)))
        chosen = np.zeros(len(order), np.bool_)
        chosen[order[:k]] = True
        return chosen

    def confidence(self, best: Bools, within: float) -> float:
        """The probability that no other run is better than one of these by more than `within`."""
        if best.all():
            return 1.0
        # A stopping rule asks after every judgment, the posterior changes after every batch.
        key = best.tobytes(), within
        if key not in self.kept:
            ahead = self.draws[:, ~best].max(axis=1) - self.draws[:, best].min(axis=1)
            self.kept[key] = float((ahead <= within).mean())
        return self.kept[key]

    def ahead(self, of: int) -> Floats:
        """The probability of each run to be better than this one."""
        from scipy.special import ndtr

        own = np.diag(self.covariance)
        variance = own + own[of] - 2 * self.covariance[of]
        deviation = np.sqrt(np.maximum(variance, SCORE_NOISE**2))
        chance: Floats = ndtr((self.mean - self.mean[of]) / deviation)
        chance[of] = 0.0
        return chance
