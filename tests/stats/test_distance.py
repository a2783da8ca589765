"""Distances between orderings equal what scipy gives pair by pair."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leadline.stats.correlation import discrimination, distance, kendall_distance, strengths


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(3, 12))
def test_strengths_are_those_of_paired_t_tests(seed: int, n_runs: int, n_topics: int) -> None:
    random = np.random.default_rng(seed)
    scores = np.round(random.random((n_runs, n_topics)), 1)
    found = strengths(scores)
    pairs = [(i, j) for i in range(n_runs) for j in range(i + 1, n_runs)]
    for (i, j), sigma in zip(pairs, found, strict=True):
        difference = scores[i] - scores[j]
        if np.ptp(difference) < 1e-12:
            continue
        p = stats.ttest_rel(scores[i], scores[j], alternative="greater").pvalue
        assert sigma == pytest.approx(0.5 - p, abs=1e-9)


def test_equal_runs_have_no_strength_and_even_differences_full_strength() -> None:
    scores = np.array([[0.5, 0.25, 0.75], [0.5, 0.25, 0.75], [0.25, 0.0, 0.5]])
    assert strengths(scores).tolist() == [0.0, 0.5, 0.5]


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_kendall_distance_is_scipys(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    one, other = random.permutation(n).astype(float), random.permutation(n).astype(float)
    tau = stats.kendalltau(one, other).statistic
    assert kendall_distance(one, other) == pytest.approx((1 - tau) / 2)


def test_distance_by_hand() -> None:
    one = np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])
    assert distance(one, one) == 0
    assert distance(one, one[::-1]) == pytest.approx(2 * 0.48245064, abs=1e-6)
    assert distance(one, one[::-1], "sigma") == pytest.approx(2 * 0.48245064**2, abs=1e-6)
    assert discrimination(one) == 1.0
    assert discrimination(one, 0.01) == 0.0
    assert kendall_distance(np.array([1.0]), np.array([2.0])) == 0.0
