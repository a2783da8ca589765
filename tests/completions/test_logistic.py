"""The least penalised log loss, with coefficients and levels or with levels alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.logistic import IMPOSSIBLE_LOGIT, fit_levels, fit_logistic, newton


def test_the_fit_is_where_the_slope_is_nought() -> None:
    random = np.random.default_rng(3)
    feature = random.normal(size=(300, 4))
    topic = np.sort(random.integers(0, 6, 300))
    relevant = random.random(300) < 1 / (1 + np.exp(-feature[:, 0] + topic - 3))
    model = fit_logistic(feature, topic, relevant, 7)
    standard = (feature - model.mean) / model.scale
    wrong = model.probability(feature, topic) - relevant
    assert 0.3 * standard.T @ wrong + model.coefficient == pytest.approx(np.zeros(4), abs=1e-6)
    assert wrong.sum() == pytest.approx(0, abs=1e-6)
    level = model.topic_level[:6] / 2
    slope = 0.6 * np.bincount(topic, weights=wrong, minlength=6) + level
    assert slope == pytest.approx(np.zeros(6), abs=1e-6)
    # A topic of which nothing was judged has the common level.
    assert model.topic_level[6] == 0


def test_a_weight_of_two_is_as_two_documents() -> None:
    random = np.random.default_rng(4)
    feature = random.normal(size=(60, 2))
    topic = np.repeat(np.arange(3), 20)
    relevant = random.random(60) < 0.4
    twice = np.sort(np.tile(np.arange(60), 2))
    heavy = fit_logistic(feature, topic, relevant, 3, weight=np.full(60, 2.0))
    double = fit_logistic(feature[twice], topic[twice], relevant[twice], 3)
    assert heavy.coefficient == pytest.approx(double.coefficient, abs=1e-8)


def test_nothing_to_learn_from_means_that_nothing_is_relevant() -> None:
    model = fit_logistic(np.zeros((0, 2)), np.zeros(0, np.int64), np.zeros(0, np.bool_), 3)
    assert model.logit(np.ones((1, 2)), np.array([2])).tolist() == [IMPOSSIBLE_LOGIT]


def level(documents: list[tuple[float, bool]], scale: float, weight: float) -> float:
    """Where the slope of weight * log loss + (level / scale)^2 / 2 is 0, by halving."""
    low, high = -60.0, 60.0
    for _ in range(100):
        middle = (low + high) / 2
        wrong = sum(0.5 + 0.5 * math.tanh((z + middle) / 2) - y for z, y in documents)
        low, high = (middle, high) if middle / scale**2 + weight * wrong < 0 else (low, middle)
    return low


@given(
    documents=st.lists(st.tuples(st.floats(-20, 20), st.booleans(), st.integers(0, 2)), max_size=9),
    scale=st.sampled_from([0.5, 1.0, 2.0]),
    weight=st.sampled_from([0.3, 1.0]),
)
def test_levels_are_where_the_slope_is_nought(
    documents: list[tuple[float, bool, int]], scale: float, weight: float
) -> None:
    logit = np.array([z for z, _, _ in documents])
    relevant = np.array([y for _, y, _ in documents], np.bool_)
    of = np.array([group for _, _, group in documents], np.int64)
    levels, error = fit_levels(logit, relevant, of, 4, scale, weight)
    for group in range(4):
        mine = [(z, y) for z, y, each in documents if each == group]
        assert levels[group] == pytest.approx(level(mine, scale, weight), abs=1e-7)
    assert levels[3] == 0
    assert error[3] == pytest.approx(scale)
    assert (error <= scale + 1e-12).all()


def test_a_step_that_goes_too_far_is_halved() -> None:
    """log(cosh(x)) from 3: a whole Newton step leads away from the least."""
    at = newton(
        np.array([3.0]),
        lambda x: float(np.log(np.cosh(x[0]))),
        lambda x: (np.sinh(x) * np.cosh(x), float(np.sinh(x[0]) ** 2)),
    )
    assert at[0] == pytest.approx(0, abs=1e-6)
