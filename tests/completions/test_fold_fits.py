"""Regressions of all folds at once are each what it would be by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from leadline.completions.cross_fit import fit_folds

N_TOPICS = 4


def problem(seed: int, n: int = 40) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    feature = random.standard_normal((n, 3))
    topic = np.sort(random.integers(0, N_TOPICS, n))
    share = random.choice([0.0, 1 / 3, 2 / 3, 1.0], n)
    weight = random.uniform(0.2, 4.0, (3, n)) * (random.random((3, n)) < 0.8)
    return feature, topic, share, weight


def plain_loss(at: np.ndarray, feature: np.ndarray, topic: np.ndarray, *known: np.ndarray) -> float:
    """sum(weight * log loss) + |w|^2 / 2, row by row; `at` is coefficients, level, topics' own."""
    share, weight = known
    beta, level, own = at[:3], at[3], at[4:]
    total = 0.5 * float(beta @ beta + own @ own)
    for row in range(len(feature)):
        z = float(feature[row] @ beta) + level + 2.0 * own[topic[row]]
        total += weight[row] * (np.logaddexp(0.0, z) - share[row] * z)
    return total


@given(st.integers(0, 2**32 - 1))
def test_no_fold_has_a_smaller_loss_elsewhere(seed: int) -> None:
    feature, topic, share, weight = problem(seed)
    fits = fit_folds(feature, topic, share, weight, N_TOPICS)
    for fold in range(len(weight)):
        at = np.concatenate(
            [fits.coefficient[fold], [fits.level[fold]], fits.topic_level[fold] / 2]
        )
        known = feature, topic, share, weight[fold]
        here = plain_loss(at, *known)
        for place in range(len(at)):
            for move in (-1e-3, 1e-3):
                moved = at.copy()
                moved[place] += move
                assert plain_loss(moved, *known) > here


def test_they_are_what_a_general_minimiser_finds() -> None:
    feature, topic, share, weight = problem(7)
    fits = fit_folds(feature, topic, share, weight, N_TOPICS)
    for fold in range(len(weight)):
        found = minimize(plain_loss, np.zeros(8), (feature, topic, share, weight[fold]), tol=1e-12)
        assert fits.coefficient[fold] == pytest.approx(found.x[:3], abs=1e-4)
        assert fits.topic_level[fold] == pytest.approx(2 * found.x[4:], abs=1e-4)
        z = feature @ found.x[:3] + found.x[3] + 2 * found.x[4:][topic]
        assert fits.share(feature, topic)[fold] == pytest.approx(1 / (1 + np.exp(-z)), abs=1e-4)


def test_a_fold_that_nothing_teaches_expects_nothing() -> None:
    feature, topic, share, weight = problem(3)
    weight[1] = 0.0
    fits = fit_folds(feature, topic, share, weight, N_TOPICS)
    expected = fits.share(feature, topic)
    assert expected[1].max() < 1e-15
    assert expected[[0, 2]].min() > 1e-6
    none = fit_folds(feature[:0], topic[:0], share[:0], weight[:, :0], N_TOPICS)
    assert none.share(feature, topic).max() < 1e-15


def test_other_folds_have_no_part_in_a_fold() -> None:
    feature, topic, share, weight = problem(5)
    together = fit_folds(feature, topic, share, weight, N_TOPICS).share(feature, topic)
    for fold in range(len(weight)):
        alone = fit_folds(feature, topic, share, weight[[fold]], N_TOPICS).share(feature, topic)
        assert together[fold] == pytest.approx(alone[0], abs=1e-9)
