"""Logistic regressions of the same rows, one for each fold that is left out, fitted together."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.logistic import (
    CONVERGED,
    IMPOSSIBLE_LOGIT,
    LEVEL_RIDGE,
    MAX_STEPS,
    TOPIC_SCALE,
    log_loss,
    sigmoid,
)
from leadline.tables.arrays import Floats, Int64s


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
