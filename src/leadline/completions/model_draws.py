"""A fitted model as it might be too: coefficients and levels drawn from what is left open."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.logistic import (
    DATA_WEIGHT,
    LEVEL_RIDGE,
    TOPIC_SCALE,
    Curvature,
    Logistic,
    sigmoid,
)
from leadline.data.arrays import Bools, Floats, Int32s, Int64s


@dataclass(frozen=True, eq=False)
class ModelDraws:
    """How far each draw of a model is from the model: rows are draws.

    `coefficient` [draws, features] is for standardised features; `level` [draws, topics] is the
    common level and the topic's together.
    """

    coefficient: Floats
    level: Floats

    @classmethod
    def of(
        cls,
        model: Logistic,
        feature: Floats,
        topic: Int32s | Int64s,
        relevant: Bools,
        n: int,
        random: np.random.Generator,
    ) -> "ModelDraws":
        """n draws of the normal distribution whose precision is the Hessian of the fitted loss.

        The rows are those that the model was fitted to, sorted by topic. A topic without any has
        the level that its penalty leaves it. Where all documents are alike nothing tells how far
        the common level could lie, and it stays as it is.
        """
        n_features, n_topics = feature.shape[1], len(model.topic_level)
        chance = random.standard_normal((n, n_features + 1 + n_topics))
        level = TOPIC_SCALE * chance[:, n_features + 1 :]
        if not relevant.any() or relevant.all():
            return cls(np.zeros((n, n_features)), np.zeros((n, n_topics)))
        x = np.column_stack([(feature - model.mean) / model.scale, np.ones(len(feature))])
        p = sigmoid(model.logit(feature, topic))
        present, first = np.unique(topic, return_index=True)
        ridge = np.append(np.ones(n_features), LEVEL_RIDGE)
        curve = Curvature.of(x, DATA_WEIGHT * p * (1 - p), first, ridge)
        # With reduced = L L^T, chance / L has the covariance 1 / reduced.
        factor = np.linalg.cholesky(curve.reduced)
        moved = np.linalg.solve(factor.T, chance[:, : n_features + 1].T).T
        own = chance[:, n_features + 1 + present] / np.sqrt(curve.of_topic)
        level[:, present] = TOPIC_SCALE * (own - moved @ curve.shared.T / curve.of_topic)
        return cls(moved[:, :n_features], level + moved[:, n_features:])
