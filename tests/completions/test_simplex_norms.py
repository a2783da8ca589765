"""Least norms are optimal: proven by the dual, and no worse than a general optimiser's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.simplex import Norms, least_norms
from tests.completions.simplex_problems import (
    EQUAL_COLUMNS,
    NOTHING_MATTERS,
    Problem,
    best_of_slsqp,
    is_weights,
    problems,
)
from tests.tries import tries


@given(problems(), st.integers(1, 4))
def test_least_norms_have_no_gap(problem: Problem, n_blocks: int) -> None:
    a, b = problem
    block = np.arange(len(b)) % n_blocks
    w, distance = least_norms(a, b, block)
    is_weights(w)
    assert -1e-12 <= distance <= 1e-6


@given(problems())
def test_the_bound_lies_below_every_corner(problem: Problem) -> None:
    a, b = problem
    n = a.shape[1]
    norms = Norms(a, b, np.arange(len(b)) % 2)
    w = np.random.default_rng(0).dirichlet(np.ones(n))
    corners = min(norms.value(corner) for corner in np.eye(n))
    assert norms.bound(w, 0.1) <= corners + 1e-9


@given(problems(), st.integers(0, 100))
@tries(8)
def test_a_general_optimiser_finds_nothing_better(problem: Problem, seed: int) -> None:
    a, b = problem
    block = np.arange(len(b)) % 3
    norms = Norms(a, b, block)
    best = best_of_slsqp(norms.value, a.shape[1], 3, seed)
    assert norms.value(least_norms(a, b, block)[0]) <= best + 2e-6


def test_of_equally_good_weights_the_shortest_are_taken() -> None:
    w, _ = least_norms(*EQUAL_COLUMNS, np.array([0, 1, 1]))
    assert w == pytest.approx([0.4, 0.3, 0.3], abs=1e-4)
    w, _ = least_norms(*NOTHING_MATTERS, np.array([0, 0, 1]))
    assert w == pytest.approx([0.25] * 4, abs=1e-4)
