"""The weights are optimal: by their conditions, and never worse than a general optimiser's."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from leadline.estimators.simplex_deviations import gap, least_deviations
from leadline.estimators.simplex_norms import Norms, least_norms
from leadline.estimators.simplex_squares import least_squares
from leadline.tables.arrays import Floats

Problem = tuple[Floats, Floats]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Matrices with repeated columns and values on a coarse grid, so that optima are tied."""
    m, n = draw(st.integers(1, 12)), draw(st.integers(1, 7))
    coarse = draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    a, b = random.random((m, n)), random.random(m)
    if coarse:
        a, b = np.round(2 * a) / 2, np.round(b)
    if draw(st.booleans()) and n > 1:
        a[:, -1] = a[:, 0]
    return a, b


def is_weights(w: Floats) -> None:
    assert (w >= 0).all()
    assert w.sum() == pytest.approx(1, abs=1e-12)


def best_of_slsqp(
    objective: Callable[[Floats], float], n: int, starts: int, seed: int = 0
) -> float:
    random = np.random.default_rng(seed)
    bounds = [(0.0, 1.0)] * n
    whole = {"type": "eq", "fun": lambda w: w.sum() - 1}
    found = []
    for _ in range(starts):
        start = random.dirichlet(np.ones(n))
        result = minimize(
            objective,
            start,
            method="SLSQP",
            bounds=bounds,
            constraints=[whole],
            options={"ftol": 1e-12, "maxiter": 300},
        )
        w = np.clip(result.x, 0, None)
        found.append(objective(w / w.sum()))
    return min(found)


@given(problems())
def test_least_squares_is_optimal(problem: Problem) -> None:
    a, b = problem
    w = least_squares(a, b)
    is_weights(w)
    slope = a.T @ (a @ w - b)
    # No corner is downhill: the value lies within this of the least one.
    assert slope @ w - slope.min() <= 1e-9 * max(1.0, (a * a).sum())


@given(problems())
def test_least_deviations_have_no_gap(problem: Problem) -> None:
    a, b = problem
    w, distance = least_deviations(a, b)
    is_weights(w)
    assert -1e-12 <= distance <= 1e-9


@given(problems(), st.integers(1, 4))
def test_least_norms_have_no_gap(problem: Problem, n_blocks: int) -> None:
    a, b = problem
    block = np.arange(len(b)) % n_blocks
    w, distance = least_norms(a, b, block)
    is_weights(w)
    assert -1e-12 <= distance <= 1e-6


@given(problems())
def test_multipliers_bound_the_value_from_below(problem: Problem) -> None:
    a, b = problem
    random = np.random.default_rng(0)
    n = a.shape[1]
    w = random.dirichlet(np.ones(n))
    y = random.uniform(-1, 1, len(b))
    corners = min(np.abs(a[:, at] - b).sum() for at in range(n))
    assert gap(a, b, w, y) >= 0
    block = np.arange(len(b)) % 2
    assert Norms(a, b, block).bound(w, 0.1) <= corners + 1e-9


@given(problems(), st.integers(0, 100))
@settings(max_examples=15)
def test_a_general_optimiser_finds_nothing_better(problem: Problem, seed: int) -> None:
    a, b = problem
    n = a.shape[1]
    block = np.arange(len(b)) % 3
    norms = Norms(a, b, block)
    for objective, w in (
        (lambda w: float(np.linalg.norm(a @ w - b)), least_squares(a, b)),
        (lambda w: float(np.abs(a @ w - b).sum()), least_deviations(a, b)[0]),
        (norms.value, least_norms(a, b, block)[0]),
    ):
        assert objective(w) <= best_of_slsqp(objective, n, 3, seed) + 2e-6


def test_of_equal_columns_each_takes_its_share() -> None:
    a = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.3, 0.2, 0.2]])
    b = np.array([0.4, 0.6, 0.24])
    expected = [0.4, 0.3, 0.3]
    assert least_squares(a, b) == pytest.approx(expected, abs=1e-6)
    assert least_deviations(a, b)[0] == pytest.approx(expected, abs=1e-9)
    assert least_norms(a, b, np.array([0, 1, 1]))[0] == pytest.approx(expected, abs=1e-4)


def test_where_nothing_matters_all_weigh_alike() -> None:
    a = np.full((3, 4), 0.5)
    b = np.array([1.0, 0.0, 0.0])
    for w in (
        least_squares(a, b),
        least_deviations(a, b)[0],
        least_norms(a, b, np.array([0, 0, 1]))[0],
    ):
        assert w == pytest.approx([0.25] * 4, abs=1e-4)


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
