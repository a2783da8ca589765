"""The solver against dense algebra, in the space of effects and of rows."""

from typing import Any

import numpy as np
import pytest

from leadline.completions import hierarchical_logistic
from leadline.completions.hierarchical_logistic import (
    EffectBlock,
    HierarchicalLogistic,
    expected_sigmoid,
)

N_TOPICS, N_OWN, N_SHARED = 6, 5, 4


def problem(sizes: list[int]) -> tuple[HierarchicalLogistic, Any]:
    random = np.random.default_rng(sum(sizes))
    start = np.append(0, np.cumsum(sizes))
    X = random.normal(size=(start[-1], N_SHARED))
    Z = random.normal(size=(start[-1], N_OWN))
    truth = X @ np.array([1.0, -1.0, 0.5, 0.0])
    y = (random.random(len(X)) < 1 / (1 + np.exp(-truth))).astype(np.float64)
    blocks = [
        EffectBlock("first", 0, 1, 4.0, float("inf")),
        EffectBlock("rest", 1, N_SHARED, 1.0),
        EffectBlock("own", 0, N_OWN, 0.5, per_topic=True),
    ]
    return HierarchicalLogistic(X, Z, start, blocks, np.zeros(N_SHARED)), y


def dense(fit: HierarchicalLogistic) -> tuple[Any, Any, Any]:
    """All effects' matrix, prior precision and posterior covariance."""
    n_topics = fit.n_topics
    whole = np.zeros((len(fit.X), N_SHARED + n_topics * N_OWN))
    whole[:, :N_SHARED] = fit.X
    for topic in range(n_topics):
        rows = slice(fit.start[topic], fit.start[topic + 1])
        first = N_SHARED + topic * N_OWN
        whole[rows, first : first + N_OWN] = fit.Z[rows]
    shared, own = fit.precisions()
    precision = np.append(shared, np.tile(own, n_topics))
    _, slope = expected_sigmoid(fit.logit(), fit.row_variance)
    information = whole.T @ (slope[:, None] * whole) + np.diag(precision)
    return whole, precision, np.linalg.inv(information)


SIZES = ([3] * N_TOPICS, [30] * N_TOPICS, [0, 2, 40, 5, 1, 9])


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_variances_and_optimum_are_those_of_dense_algebra(sizes: list[int]) -> None:
    fit, y = problem(sizes)
    fit.fit(y, learn_scales=False, iterations=60)
    fit.prepare()
    whole, precision, covariance = dense(fit)
    shared, own, rows = fit.variances()
    np.testing.assert_allclose(np.append(shared, own), np.diag(covariance), rtol=1e-8)
    np.testing.assert_allclose(rows, ((whole @ covariance) * whole).sum(axis=1), rtol=1e-7)
    p, _ = expected_sigmoid(fit.logit(), fit.row_variance)
    slope = whole.T @ (y - p) - precision * np.append(fit.g, fit.l)
    assert np.abs(covariance @ slope).max() < 0.02
    np.testing.assert_allclose(fit.covariance(2), covariance[:2, :2], rtol=1e-8)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_draws_have_the_posterior_covariance(sizes: list[int]) -> None:
    fit, y = problem(sizes)
    fit.fit(y)
    fit.prepare()
    covariance = dense(fit)[2]
    n = N_SHARED + N_TOPICS * N_OWN
    # The draw of every unit vector: a root of the covariance.
    unit = np.eye(n)
    shared = fit.draw_shared(unit[:N_SHARED])
    own = [
        sum(fit.draw_own(topic, unit[N_SHARED + topic * N_OWN :][:N_OWN], shared))
        for topic in range(N_TOPICS)
    ]
    root = np.vstack([shared, *own])
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-8)


def test_scales_of_effects_are_learnt() -> None:
    random = np.random.default_rng(1)
    n, size = 40, 60
    start = np.arange(0, n * size + 1, size)
    for truth in (0.5, 2.0):
        effect = truth * random.standard_normal(n)
        z = np.repeat(effect, size)
        y = (random.random(len(z)) < 1 / (1 + np.exp(-z))).astype(np.float64)
        X = np.ones((len(z), 1))
        blocks = [
            EffectBlock("level", 0, 1, 25.0, float("inf")),
            EffectBlock("topic", 0, 1, 1.0, 2.0, per_topic=True),
        ]
        fit = HierarchicalLogistic(X, np.ones((len(z), 1)), start, blocks, np.zeros(1))
        fit.fit(y)
        assert np.sqrt(fit.block("topic").variance) == pytest.approx(truth, rel=0.35)


def test_many_rows_end_where_double_precision_does(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, y = problem([80] * N_TOPICS)
    whole.fit(y)
    part, _ = problem([80] * N_TOPICS)
    part.X, part.Z = part.X.astype(np.float32), part.Z.astype(np.float32)
    monkeypatch.setattr(hierarchical_logistic, "LARGE", 200)
    part.fit(y)
    np.testing.assert_allclose(part.logit(), whole.logit(), atol=0.05)
