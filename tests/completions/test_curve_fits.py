"""Fits have exact derivatives, and nobody finds a better one from many starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

from leadline.completions.two_stage import (
    Linear,
    Shape,
    Weibull,
    Zipf,
    linear,
    weibull_shape,
    zipf_shape,
)
from leadline.data.arrays import Floats
from tests.tries import tries

RANK = np.arange(1, 13, dtype=np.float64)


@pytest.mark.parametrize(
    ("shape", "points"),
    [
        (zipf_shape, [[0.0], [0.7], [3.0]]),
        (weibull_shape, [[0.0, 0.0], [2.0, 0.5], [5.0, -1.0], [1.0, 1.2]]),
    ],
)
def test_derivatives_are_exact(shape: Shape, points: list[list[float]]) -> None:
    at = np.array(points)
    slope = shape(at, RANK)[1]
    for p in range(at.shape[1]):
        step = np.zeros(at.shape[1])
        step[p] = 1e-6
        numeric = (shape(at + step, RANK)[0] - shape(at - step, RANK)[0]) / 2e-6
        assert slope[:, :, p] == pytest.approx(numeric, abs=1e-8)


def mean_gains(seed: int, n: int, d: int) -> Floats:
    random = np.random.default_rng(seed)
    level = random.random((n, 1))
    fall = np.exp(-np.arange(d) * random.random((n, 1)) * 0.5)
    noisy = level * fall + 0.1 * random.standard_normal((n, d))
    return np.round(np.clip(noisy, 0, 1) * 42) / 42


def weibull(x: Floats, d: int) -> Floats:
    k = np.arange(d)
    with np.errstate(all="ignore"):
        return np.nan_to_num(
            x[2] * (np.exp(-((k / x[0]) ** x[1])) - np.exp(-(((k + 1) / x[0]) ** x[1])))
        )


def zipf(x: Floats, d: int) -> Floats:
    curve: Floats = x[0] * np.arange(1, d + 1.0) ** -x[1]
    return curve


def best_by_scipy(y: Floats, seed: int) -> dict[str, float]:
    """The least squared error of each curve from a few random starts."""
    random = np.random.default_rng(seed)
    d = len(y)
    found: dict[str, list[float]] = {"Zipf": [], "Weibull": []}
    for _ in range(3):
        begin = random.uniform(0.1, 3, 2)
        fit = least_squares(lambda x: zipf(x, d) - y, begin, bounds=(0, [50, 50]))
        found["Zipf"].append(2 * fit.cost)
        begin = random.uniform([0.5, 0.3, 0.5], [20, 2, 20])
        bounds = ([0.1, 0.05, 0], [1e6, 20, np.inf])
        fit = least_squares(lambda x: weibull(x, d) - y, begin, bounds=bounds)
        found["Weibull"].append(2 * fit.cost)
    line = np.polynomial.Polynomial.fit(np.arange(d), y, 1)(np.arange(d))
    straight = float(((line - y) ** 2).sum()) if line[0] >= line[-1] else np.inf
    return {"Linear": straight} | {name: min(values) for name, values in found.items()}


@given(st.integers(0, 10**6))
@tries(8)
def test_no_start_of_scipy_leads_to_a_better_curve(seed: int) -> None:
    d = 10
    mean = mean_gains(seed, 2, d)
    for row, y in enumerate(mean):
        theirs = best_by_scipy(y, seed)
        for model in (Linear(), Zipf(), Weibull()):
            curve = model.curves(mean, d)[row]
            error = float(((curve - y) ** 2).sum())
            # Clipping at 1 comes after the fit, and may cost a little.
            assert error <= theirs[str(model)] + 1e-7 or curve.max() >= 1, model


def test_a_rising_line_is_flat() -> None:
    slope, height = linear(np.array([[0.0, 0.2, 0.4]]))
    assert slope.tolist() == [0.0]
    assert height == pytest.approx([0.2])


def test_curves_recover_what_they_were_made_of() -> None:
    rank = np.arange(1, 21.0)
    zipf = 0.8 * rank**-0.7
    assert Zipf().curves(zipf[None, :10], 20)[0] == pytest.approx(zipf, abs=1e-7)
    k = rank - 1
    made = 5 * (np.exp(-((k / 8) ** 0.9)) - np.exp(-(((k + 1) / 8) ** 0.9)))
    assert Weibull().curves(made[None, :10], 20)[0] == pytest.approx(made, abs=1e-6)
    line = np.clip(0.5 - 0.04 * rank, 0, 1)
    assert Linear().curves(line[None, :10], 20)[0] == pytest.approx(line, abs=1e-12)


def test_nothing_relevant_gives_nothing() -> None:
    nothing = np.zeros((1, 5))
    for model in (Linear(), Zipf(), Weibull()):
        assert model.curves(nothing, 9).tolist() == [[0.0] * 9]
