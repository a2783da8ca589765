"""Levels and slopes of topics: where the slope of the loss is nought, and what chance makes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize  # type: ignore[import-untyped, unused-ignore]

from leadline.completions.topic_slopes import SLOPE_SCALE, TOPIC_MISFIT, TopicSlopes
from tests.tries import tries


@tries(6)
@given(st.integers(0, 1000))
def test_levels_and_slopes_are_where_a_plain_minimiser_ends(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, n_topics = 30, 3
    logit, evidence = random.normal(-1, 1, n), random.normal(0, 1, n)
    relevant, topic = random.random(n) < 0.3, random.integers(0, n_topics, n)
    fitted = TopicSlopes.fit(logit, evidence, relevant, topic, n_topics)
    for at in range(n_topics):
        mine = topic == at

        def loss(x: np.ndarray, mine: np.ndarray = mine) -> float:
            z = logit[mine] + x[0] + x[1] * evidence[mine]
            lost = np.log1p(np.exp(z)) - z * relevant[mine]
            return float(lost.sum() + (x**2).sum() / SLOPE_SCALE**2 / 2)

        best = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-8})
        assert fitted.at[at] == pytest.approx(best.x, abs=1e-5)
        z = logit[mine] + fitted.at[at, 0] + fitted.at[at, 1] * evidence[mine]
        curve = np.eye(2) / SLOPE_SCALE**2
        for each, x in zip(1 / (1 + np.exp(-z)), evidence[mine], strict=True):
            curve += each * (1 - each) * np.array([[1, x], [x, x * x]])
        spread = fitted.root[at] @ fitted.root[at].T
        assert spread == pytest.approx(np.linalg.inv(curve))


def test_draws_lie_around_what_was_fitted_as_far_as_is_said() -> None:
    random = np.random.default_rng(1)
    slopes = TopicSlopes.fit(
        np.zeros(40), random.normal(0, 1, 40), random.random(40) < 0.5, np.arange(40) % 2, 2
    )
    drawn = slopes.drawn(20_000, np.random.default_rng(0))
    assert drawn.mean(axis=0) == pytest.approx(slopes.at, abs=0.05)
    for topic in range(2):
        told = slopes.root[topic] @ slopes.root[topic].T
        told[0, 0] += TOPIC_MISFIT**2
        assert np.cov(drawn[:, topic], rowvar=False) == pytest.approx(told, abs=0.06)


def test_a_topic_without_documents_has_what_the_penalty_leaves() -> None:
    fitted = TopicSlopes.fit(np.zeros(1), np.zeros(1), np.array([True]), np.array([1]), 2)
    assert fitted.at[0].tolist() == [0.0, 0.0]
    assert fitted.root[0] == pytest.approx(SLOPE_SCALE * np.eye(2))
