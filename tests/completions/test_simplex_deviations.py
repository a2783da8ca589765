"""Least deviations are optimal: proven by the dual, and no worse than a general optimiser's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.simplex import gap, least_deviations
from tests.completions.simplex_problems import (
    EQUAL_COLUMNS,
    NOTHING_MATTERS,
    Problem,
    best_of_slsqp,
    is_weights,
    problems,
)
from tests.tries import tries


@given(problems())
def test_least_deviations_have_no_gap(problem: Problem) -> None:
    a, b = problem
    w, distance = least_deviations(a, b)
    is_weights(w)
    assert -1e-12 <= distance <= 1e-9


@given(problems())
def test_of_all_least_deviations_the_shortest_is_taken(problem: Problem) -> None:
    """Walking towards the centre inside the set of optima must not be possible."""
    a, b = problem
    w, _ = least_deviations(a, b)
    value = np.abs(a @ w - b).sum()
    random = np.random.default_rng(1)
    for _ in range(20):
        other = random.dirichlet(np.ones(a.shape[1]))
        for step in (1e-3, 0.1):
            near = (1 - step) * w + step * other
            if np.abs(a @ near - b).sum() <= value + 1e-12:
                assert near @ near >= w @ w - 1e-7


@given(problems())
def test_multipliers_bound_the_value_from_below(problem: Problem) -> None:
    a, b = problem
    random = np.random.default_rng(0)
    w = random.dirichlet(np.ones(a.shape[1]))
    assert gap(a, b, w, random.uniform(-1, 1, len(b))) >= 0


@given(problems(), st.integers(0, 100))
@tries(8)
def test_a_general_optimiser_finds_nothing_better(problem: Problem, seed: int) -> None:
    a, b = problem

    def objective(w: np.ndarray) -> float:
        return float(np.abs(a @ w - b).sum())

    best = best_of_slsqp(objective, a.shape[1], 3, seed)
    assert objective(least_deviations(a, b)[0]) <= best + 2e-6


def test_of_equally_good_weights_the_shortest_are_taken() -> None:
    assert least_deviations(*EQUAL_COLUMNS)[0] == pytest.approx([0.4, 0.3, 0.3], abs=1e-9)
    assert least_deviations(*NOTHING_MATTERS)[0] == pytest.approx([0.25] * 4, abs=1e-4)
