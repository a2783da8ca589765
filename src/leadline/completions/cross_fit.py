"""Expected gains by models that never saw the pair's own judgment: cross-fitting."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.completions.logistic import (
    CONVERGED,
    IMPOSSIBLE_LOGIT,
    LEVEL_RIDGE,
    MAX_STEPS,
    TOPIC_SCALE,
    log_loss,
    sigmoid,
)
from leadline.completions.pair_weights import N_FOLDS
from leadline.data.arrays import Bools, Floats, Int64s


@dataclass(frozen=True, eq=False)
class FoldFits:
    """Fold by fold: coefficients of the features, a level, and what each topic adds to it."""

    coefficient: Floats
    level: Floats
    topic_level: Floats

    def share(self, feature: Floats, topic: Int64s) -> Floats:
        """[folds, pairs]: the expected share of the largest gain, by each fold's regression."""
        logit = self.coefficient @ feature.T
        logit += self.topic_level[:, topic]
        logit += self.level[:, None]
        return sigmoid(logit)


def fit_folds(
    feature: Floats, topic: Int64s, share: Floats, weight: Floats, n_topics: int
) -> FoldFits:
    """For each row of weights the least of sum(weight * log loss) + |w|^2 / 2.

    w are coefficients and levels of topics (as indicators of height 2); the common level is free.
    `share`, between 0 and 1, is what a row says; rows must be sorted by topic. A fold whose weights
    are all 0 expects nothing. What the topics share with the features is eliminated, so a step
    costs no more than the features do.
    """
    n_features, n_folds = feature.shape[1], len(weight)
    taught = weight.any(axis=1)
    topic_level = np.zeros((n_folds, n_topics))
    if not taught.any():
        nothing = np.zeros((n_folds, n_features))
        return FoldFits(nothing, np.full(n_folds, IMPOSSIBLE_LOGIT), topic_level)
    x = np.column_stack([feature, np.ones(len(feature))])
    present, first = np.unique(topic, return_index=True)
    place = np.searchsorted(present, topic)
    penalty = np.append(np.ones(n_features), 0.0)
    ridge = np.diag(np.append(np.ones(n_features), LEVEL_RIDGE))
    mean = weight @ share / np.maximum(weight.sum(axis=1), 1e-300)
    mean = np.clip(mean, 1e-6, 1 - 1e-6)
    beta, gamma = np.zeros((n_folds, n_features + 1)), np.zeros((n_folds, len(present)))
    beta[:, -1] = np.log(mean / (1 - mean))

    def logits(beta: Floats, gamma: Floats) -> Floats:
        z: Floats = beta @ x.T + TOPIC_SCALE * gamma[:, place]
        return z

    def loss(z: Floats, beta: Floats, gamma: Floats) -> Floats:
        wide = (beta**2) @ penalty + (gamma**2).sum(axis=1)
        lost: Floats = (weight * log_loss(z, share)).sum(axis=1) + 0.5 * wide
        return lost

    z = logits(beta, gamma)
    now = loss(z, beta, gamma)
    going = taught.copy()
    for _ in range(MAX_STEPS):
        p = sigmoid(z)
        curve, wrong = weight * p * (1 - p), weight * (p - share)
        slope = wrong @ x + penalty * beta
        slope_topic = TOPIC_SCALE * np.add.reduceat(wrong, first, axis=1) + gamma
        curved = curve[:, :, None] * x
        of_topic = TOPIC_SCALE**2 * np.add.reduceat(curve, first, axis=1) + 1.0
        shared = TOPIC_SCALE * np.add.reduceat(curved, first, axis=1)
        relative = shared / of_topic[:, :, None]
        reduced = x.T @ curved + ridge - shared.transpose(0, 2, 1) @ relative
        known = (slope_topic[:, None, :] @ relative)[:, 0]
        step = np.linalg.solve(reduced, (slope - known)[:, :, None])[:, :, 0]
        step_topic = slope_topic / of_topic - (relative @ step[:, :, None])[:, :, 0]
        promised = (slope * step).sum(axis=1) + (slope_topic * step_topic).sum(axis=1)
        size = np.where(going, 1.0, 0.0)
        last = promised < CONVERGED
        while True:
            at, of = beta - size[:, None] * step, gamma - size[:, None] * step_topic
            z = logits(at, of)
            after = loss(z, at, of)
            # A loss of so many documents is known to so many digits only.
            kept = after <= now - 1e-4 * size * promised + 1e-13 * np.abs(now)
            halved = going & ~kept & ~last & (size > 1e-8)
            if not halved.any():
                break
            size[halved] /= 2
        beta, gamma, now = at, of, after
        going &= ~last
        if not going.any():
            break
    topic_level[:, present] = TOPIC_SCALE * gamma
    level = np.where(taught, beta[:, -1], IMPOSSIBLE_LOGIT)
    return FoldFits(np.ascontiguousarray(beta[:, :-1]), level, topic_level)


DRAWN_WEIGHT = 1.0
"""Of a drawn pair against the penalty: few are drawn, and each for what it tells."""

N_CELLS = 5
PRIOR_DRAWS = 3.0
"""As many draws with the overall spread are added to every cell."""


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """What was drawn from the pairs that a measure looks at, with which chance, and its grade.

    All columns have a row a pair: `feature` (each of mean 0 and deviation 1 over all pairs),
    `topic` (ascending), `drawn`, the chance `inclusion` with which it was to be drawn, its `grade`
    where it was, and its `fold`. `table` has the gain of each grade.
    """

    feature: Floats
    topic: Int64s
    n_topics: int
    drawn: Bools
    inclusion: Floats
    grade: Int64s
    fold: Int64s
    table: Floats

    @cached_property
    def gain(self) -> Floats:
        """The gain of what was drawn, 0 elsewhere."""
        return np.where(self.drawn, self.table[self.grade], 0.0)

    @cached_property
    def rows(self) -> Int64s:
        """The numbers of what was drawn."""
        return np.flatnonzero(self.drawn)

    @cached_property
    def row_weight(self) -> Floats:
        """[folds, drawn]: 1 / pi of what lies outside each fold, 1 on average."""
        outside = self.fold[self.rows] != np.arange(N_FOLDS)[:, None]
        weight = np.where(outside, 1 / self.inclusion[self.rows], 0.0)
        mean = weight.sum(axis=1) / np.maximum(outside.sum(axis=1), 1)
        return weight * (DRAWN_WEIGHT / np.where(mean > 0, mean, 1.0)[:, None])

    def regressed(self, share: Floats) -> Floats:
        """[folds, pairs]: what is expected of every pair where drawn ones say this, from 0 to 1."""
        rows, weight = self.rows, self.row_weight
        fits = fit_folds(self.feature[rows], self.topic[rows], share, weight, self.n_topics)
        return fits.share(self.feature, self.topic)

    @cached_property
    def by_fold(self) -> Floats:
        """[folds, pairs]: expected gains by what was drawn outside each fold.

        One regression a fold, of the gain as a share of the largest, each row counted 1 / pi.
        """
        least, reach = float(self.table.min()), float(np.ptp(self.table))
        return least + reach * self.regressed((self.gain[self.rows] - least) / (reach or 1.0))

    @cached_property
    def expected(self) -> Floats:
        """The expected gain of every pair, by what was drawn outside its own fold."""
        chosen: Floats = self.by_fold[self.fold, np.arange(len(self.fold))]
        return chosen

    def error(self, expected: Floats, counted: Bools) -> Floats:
        """(gain - expected) / inclusion of what was drawn and counts, 0 elsewhere.

        A sum of it over pairs, each with its weight, is what the model's sum lacks, without bias.
        """
        return np.divide(
            self.gain - expected,
            self.inclusion,
            out=np.zeros(len(expected)),
            where=self.drawn & counted,
        )

    def spread(self) -> Floats:
        """How far the gain of a pair lies from what is expected, by what other folds drew."""
        chosen: Floats = self.spread_by_fold[self.fold, np.arange(len(self.fold))]
        return chosen

    @cached_property
    def spread_by_fold(self) -> Floats:
        """[folds, pairs]: root mean square of gain - expected by cell, by what other folds drew.

        Cells are fifths of the fold's own pairs by expected gain. Each is drawn towards the overall
        spread, as if seen three times.
        """
        rows = self.rows
        spread = np.full((N_FOLDS, len(self.fold)), float(np.ptp(self.table)) / 2)
        for fold, expected in enumerate(self.by_fold):
            mine = self.fold == fold
            other = rows[~mine[rows]]
            if not len(other) or not mine.any():
                continue
            ends = np.quantile(expected[mine], np.linspace(0, 1, N_CELLS + 1)[1:-1])
            cell = np.searchsorted(ends, expected[other])
            square = (self.gain[other] - expected[other]) ** 2
            overall = np.average(square, weights=1 / self.inclusion[other])
            total = np.bincount(cell, square, N_CELLS) + PRIOR_DRAWS * overall
            seen = np.bincount(cell, minlength=N_CELLS) + PRIOR_DRAWS
            spread[fold] = np.sqrt(total / seen)[np.searchsorted(ends, expected)]
        return spread
