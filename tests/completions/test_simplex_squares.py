"""Least squares are optimal: by their conditions, and no worse than a general optimiser's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.simplex import least_squares
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
def test_least_squares_is_optimal(problem: Problem) -> None:
    a, b = problem
    w = least_squares(a, b)
    is_weights(w)
    slope = a.T @ (a @ w - b)
    # No corner is downhill: the value lies within this of the least one.
    assert slope @ w - slope.min() <= 1e-9 * max(1.0, (a * a).sum())


@given(problems(), st.integers(0, 100))
@tries(8)
def test_a_general_optimiser_finds_nothing_better(problem: Problem, seed: int) -> None:
    a, b = problem

    def objective(w: np.ndarray) -> float:
        return float(np.linalg.norm(a @ w - b))

    best = best_of_slsqp(objective, a.shape[1], 3, seed)
    assert objective(least_squares(a, b)) <= best + 2e-6


def test_of_equally_good_weights_the_shortest_are_taken() -> None:
    assert least_squares(*EQUAL_COLUMNS) == pytest.approx([0.4, 0.3, 0.3], abs=1e-6)
    assert least_squares(*NOTHING_MATTERS) == pytest.approx([0.25] * 4, abs=1e-4)
