"""Errors of sums over independent draws, and how well they are known."""

import numpy as np
import pytest

from leadline.completions.sample import TYPICAL_DEGREES, mean_of_draws


def test_variances_and_degrees_by_their_formulas() -> None:
    random = np.random.default_rng(4)
    part, chance = random.standard_normal((3, 12)), random.uniform(0.1, 0.9, 12)
    found = mean_of_draws(part.sum(axis=1), part, chance)
    assert found.degrees is not None
    for a in range(3):
        for b in range(3):
            along = part[a] if a == b else part[a] - part[b]
            variance = float(sum(along**2 * (1 - chance)))
            spread = float(sum((along**2 * (1 - chance)) ** 2 * (1 - chance)))
            error = found.standard_error[a] if a == b else found.difference_error()[a, b]
            assert error**2 == pytest.approx(variance)
            assert found.degrees[a, b] == pytest.approx(2 * variance**2 / spread)


def test_typical_errors_count_as_ten_degrees_for_scores_alone() -> None:
    part, chance = np.array([[1.0, 0.0], [0.0, 3.0]]), np.array([0.5, 0.5])
    plain = mean_of_draws(np.zeros(2), part, chance)
    found = mean_of_draws(np.zeros(2), part, chance, np.full((2, 2), 2.0))
    # One draw tells V = .5: 2 V^2 / (V^2 * .5) = 4 degrees; by typical errors V = 2 * 4 * .5.
    assert found.standard_error[0] ** 2 == pytest.approx((4 * 0.5 + 10 * 4.0) / 14)
    assert found.degrees is not None
    assert found.degrees[0, 0] == pytest.approx(4 + TYPICAL_DEGREES)
    assert found.difference_error() == pytest.approx(plain.difference_error())


def test_the_variance_is_right_on_average() -> None:
    """Twenty pairs drawn independently: mean of V over draws against the variance of the sums."""
    random = np.random.default_rng(9)
    weight, chance = random.standard_normal((1, 20)), random.uniform(0.2, 0.9, 20)
    sums, told = [], []
    for _ in range(4000):
        drawn = random.random(20) < chance
        part = weight[:, drawn] / chance[drawn]
        found = mean_of_draws(part.sum(axis=1), part, chance[drawn])
        sums.append(found.value[0])
        told.append(found.standard_error[0] ** 2)
    assert np.mean(told) == pytest.approx(np.var(sums), rel=0.1)


def test_runs_that_are_one_differ_by_nothing_for_sure() -> None:
    part = np.array([[1.0, 2.0], [1.0, 2.0]])
    found = mean_of_draws(part.sum(axis=1), part, np.array([0.3, 0.6]))
    assert found.difference_margin()[0, 1] == 0.0
