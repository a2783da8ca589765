"""Topics of their own kind: in some relevant documents end soon, in others they go on for long."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.logistic import log_loss, newton, sigmoid
from leadline.data.arrays import Bools, Floats, Int32s, Int64s

SLOPE_SCALE = 0.3
"""How far from 0 levels and slopes of topics are expected, in logits."""

TOPIC_MISFIT = 1.25
"""How far, besides, the level of a topic's unjudged documents lies from that of its judged ones."""


@dataclass(frozen=True, eq=False)
class TopicSlopes:
    """logit = what the model says + level of the topic + slope of the topic * evidence.

    `evidence` is what the features say of a document, standardised. `at` [topics, 2] are level and
    slope, `root` [topics, 2, 2] a root of the covariance of their errors.
    """

    at: Floats
    root: Floats

    @classmethod
    def fit(
        cls,
        logit: Floats,
        evidence: Floats,
        relevant: Bools,
        topic: Int32s | Int64s,
        n: int,
    ) -> "TopicSlopes":
        """The least of log loss + (level^2 + slope^2) / scale^2 / 2 over judged documents."""
        precision = 1 / SLOPE_SCALE**2

        def told(at: Floats) -> Floats:
            level, slope = at.reshape(n, 2).T
            z: Floats = logit + level[topic] + slope[topic] * evidence
            return z

        def loss(at: Floats) -> float:
            return float(log_loss(told(at), relevant).sum() + 0.5 * precision * (at @ at))

        def curve(at: Floats) -> Floats:
            p = sigmoid(told(at))
            w = p * (1 - p)
            sums = [np.bincount(topic, w * evidence**power, n) for power in (0, 1, 2)]
            matrix: Floats = np.stack([sums[0], sums[1], sums[1], sums[2]], axis=1)
            return matrix.reshape(n, 2, 2) + precision * np.eye(2)

        def direction(at: Floats) -> tuple[Floats, float]:
            wrong = sigmoid(told(at)) - relevant
            parts = [np.bincount(topic, wrong * evidence**power, n) for power in (0, 1)]
            slope = np.stack(parts, axis=1) + precision * at.reshape(n, 2)
            step = np.linalg.solve(curve(at), slope[:, :, None]).astype(np.float64, copy=False)
            return step.ravel(), float((slope * step[:, :, 0]).sum())

        at = newton(np.zeros(2 * n), loss, direction)
        # The covariance is the inverse of L L^T: its root is that of L^T.
        root = np.linalg.inv(np.linalg.cholesky(curve(at))).transpose(0, 2, 1)
        return cls(at.reshape(n, 2), root)

    def drawn(self, n: int, random: np.random.Generator) -> Floats:
        """[draws, topics, 2]: level and slope for unjudged documents, as they might be."""
        chance = random.standard_normal((n, *self.at.shape))
        own = random.standard_normal((n, len(self.at)))
        drawn: Floats = self.at + np.einsum("tij,dtj->dti", self.root, chance)
        drawn[:, :, 0] += TOPIC_MISFIT * own
        return drawn
