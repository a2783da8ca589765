"""Gain as a function of rank, fitted to one topic's judged ranks (Lu, Moffat, Culpepper 2016).

Each fit is a bounded least-squares problem with one linear parameter, which is solved for; the
others are searched over a grid that is then refined, so no start can mislead it. A model is
returned as its gains at ranks 1..deepest, clipped to [0, 1], with its sum of squares (before
clipping): where a minimum is flat, or lies at infinity, other parameters can have the same sum.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped, unused-ignore]

from .estimators import Gains

Vector = NDArray[np.float64]


class Fit(NamedTuple):
    """A fitted model: its gain at ranks 1, 2, ..., and its sum of squares over the fitted ranks."""

    gains: list[float]
    squares: float


def mean_gains(rankings: list[list[str]], judged: Gains, pool_depth: int) -> list[float]:
    """The runs' mean gain at ranks 1..d'; unjudged docs and ranks past the end count 0."""
    means = []
    for j in range(pool_depth):
        total = 0.0
        for ranking in rankings:
            if j < len(ranking):
                total += judged.get(ranking[j], 0.0)
        means.append(total / len(rankings))
    return means


def clipped(values: NDArray[np.floating]) -> list[float]:
    """Values below 0 become 0, above 1 become 1."""
    return [min(max(float(value), 0.0), 1.0) for value in values]


def linear(observed: list[float], deepest: int) -> Fit:
    """l k + c with l <= 0 and c >= 0, k the rank from 1.

    If the free slope is positive the best is l = 0 and c the mean; otherwise c >= 0 by itself, as
    the observed gains are not negative.
    """
    n = len(observed)
    ranks = range(1, n + 1)
    rank_mean, mean = sum(ranks) / n, math.fsum(observed) / n
    spread = math.fsum((k - rank_mean) ** 2 for k in ranks)
    covered = math.fsum((k - rank_mean) * (y - mean) for k, y in zip(ranks, observed, strict=True))
    slope = min(covered / spread, 0.0) if n > 1 else 0.0
    intercept = mean - slope * rank_mean
    squares = math.fsum(
        (slope * k + intercept - y) ** 2 for k, y in zip(ranks, observed, strict=True)
    )
    return Fit(clipped(np.arange(1.0, deepest + 1) * slope + intercept), squares)


def scaled(shape: Vector, observed: Vector) -> tuple[float, float]:
    """The scale s >= 0 that makes s * shape closest to the observed gains, and the squares left."""
    length = float(shape @ shape)
    scale = max(float(shape @ observed) / length, 0.0) if length > 0 else 0.0
    return scale, float(np.sum((scale * shape - observed) ** 2))


def fit_shape(
    shape: Callable[[Vector, Vector], Vector],
    grid: list[Vector],
    low: Vector,
    high: Vector,
    observed: list[float],
    deepest: int,
) -> Fit:
    """scale * shape(parameters, ranks), its parameters searched from the ten best of a grid."""
    y = np.array(observed)
    ranks = np.arange(1.0, len(observed) + 1)

    def squares(parameters: Vector) -> float:
        return scaled(shape(np.clip(parameters, low, high), ranks), y)[1]

    best = min(grid, key=squares)
    for start in sorted(grid, key=squares)[:10]:
        found = minimize(
            squares,
            start,
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-18, "maxiter": 4000, "maxfev": 4000},
        )
        if found.fun < squares(best):
            best = np.clip(found.x, low, high)
    scale, left = scaled(shape(best, ranks), y)
    return Fit(clipped(scale * shape(best, np.arange(1.0, deepest + 1))), left)


def zipf(observed: list[float], deepest: int) -> Fit:
    """l / (k^c H(1000, c)) with l, c >= 0, H(1000, c) = sum of i^-c for i = 1..1000.

    c is searched up to 60, where all gain is at rank 1. H only scales l.
    """

    def shape(parameters: Vector, ranks: Vector) -> Vector:
        (c,) = parameters
        harmonic = np.sum(np.arange(1.0, 1001) ** -c)
        return np.asarray(ranks**-c / harmonic)

    grid = [np.array([c]) for c in [*np.arange(0, 5, 0.05), *range(5, 61)]]
    return fit_shape(shape, grid, np.array([0.0]), np.array([60.0]), observed, deepest)


def weibull(observed: list[float], deepest: int) -> Fit:
    """c (exp(-(k/a)^b) - exp(-((k+1)/a)^b)) with a, b, c >= 0, k from 0 at rank 1.

    Searched over log z and log b with z = a^-b, so that (k/a)^b = z k^b. For small z the shape is
    z ((k+1)^b - k^b), with c large: a straight or flat line is a limit of this kind.
    """

    def shape(parameters: Vector, ranks: Vector) -> Vector:
        z, b = np.exp(parameters)
        near, far = (ranks - 1) ** b, ranks**b
        # exp(-z near) - exp(-z far) loses all digits for small z. c takes up the division by z.
        return np.asarray(np.exp(-z * near) * -np.expm1(-z * (far - near)) / z)

    low, high = np.array([-18.0, -6.0]), np.array([6.0, 2.0])
    grid = [
        np.array([log_z, log_b])
        for log_z in np.linspace(low[0], high[0], 49)
        for log_b in np.linspace(low[1], high[1], 33)
    ]
    return fit_shape(shape, grid, low, high, observed, deepest)
