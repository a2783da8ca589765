"""Problems over weights that are not negative and sum to 1, and what a general optimiser finds."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.optimize import minimize

from leadline.data.arrays import Floats

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


EQUAL_COLUMNS = (
    np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.3, 0.2, 0.2]]),
    np.array([0.4, 0.6, 0.24]),
)
"""The best weights are .4, and .3 for each of the two columns that are alike."""

NOTHING_MATTERS = (np.full((3, 4), 0.5), np.array([1.0, 0.0, 0.0]))
"""All weights are equally good."""


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
