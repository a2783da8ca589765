"""Curves of gain by rank, fitted to many topics at once by bounded least squares.

A curve is amplitude * shape(rank; parameters). For given parameters the best amplitude is known, so
only the parameters are searched (variable projection): from the best points of a grid, by Newton
steps with damping, the gradients being exact.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Floats

Shape = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Parameters [fits, p] and ranks [d] to values [fits, d] and derivatives [fits, d, p]."""

STARTS = 4
STEPS = 60
NEAR = 1e-4
"""Gradients this far apart give the curvature."""


def linear(mean: Floats) -> tuple[Floats, Floats]:
    """Slope and height at rank 0 of the best line through each row that does not rise.

    >>> slope, height = linear(np.array([[0.5, 0.3, 0.1], [0.1, 0.2, 0.6]]))
    >>> slope.round(4).tolist(), height.round(4).tolist()
    ([-0.2, 0.0], [0.7, 0.3])
    """
    rank = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    middle = rank.mean()
    spread = ((rank - middle) ** 2).sum()
    rise = ((mean - mean.mean(axis=1, keepdims=True)) * (rank - middle)).sum(axis=1)
    slope = np.minimum(rise / spread, 0.0) if spread > 0 else np.zeros(len(mean))
    height: Floats = mean.mean(axis=1) - slope * middle
    return slope, height


def zipf_shape(parameters: Floats, rank: Floats) -> tuple[Floats, Floats]:
    """rank^-c; parameters [fits, 1] hold c."""
    log = np.log(rank)
    value = np.exp(-parameters * log)
    return value, (-log * value)[:, :, None]


def weibull_shape(parameters: Floats, rank: Floats) -> tuple[Floats, Floats]:
    """exp(-(k/a)^b) - exp(-((k+1)/a)^b) with k = rank - 1; parameters hold log a and log b."""
    log_a, b = parameters[:, :1], np.exp(parameters[:, 1:])
    with np.errstate(divide="ignore"):
        near, far = np.log(rank - 1) - log_a, np.log(rank) - log_a
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        s, t = np.exp(b * near), np.exp(b * far)
        # The difference of two exponentials, without cancellation.
        value = np.exp(-s) * -np.expm1(-(t - s))
        at_s, at_t = s * np.exp(-s), t * np.exp(-t)
        at_s, at_t = np.where(np.isfinite(s), at_s, 0.0), np.where(np.isfinite(t), at_t, 0.0)
        by_a = b * (at_s - at_t)
        by_b = b * (far * at_t - np.where(at_s > 0, near * at_s, 0.0))
    value = np.where(np.isfinite(value), value, 0.0)
    return value, np.stack([by_a, by_b], axis=2)


@dataclass(frozen=True, eq=False)
class Fit:
    """Amplitude [fits], parameters [fits, p] and the sum of squared errors [fits]."""

    amplitude: Floats
    parameters: Floats
    error: Floats


def fit(shape: Shape, mean: Floats, axes: tuple[Floats, ...]) -> Fit:
    """The best curve for each row; `axes` are the grid's values, their ends the bounds."""
    rank = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    low = np.array([axis[0] for axis in axes])
    high = np.array([axis[-1] for axis in axes])
    grid = np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)
    starts = _starts(shape(grid, rank)[0], mean, tuple(len(axis) for axis in axes))
    n = starts.shape[1]
    found = _search(shape, np.repeat(mean, n, axis=0), grid[starts.ravel()], rank, low, high)
    best = found.error.reshape(len(mean), n).argmin(axis=1) + np.arange(len(mean)) * n
    return Fit(found.amplitude[best], found.parameters[best], found.error[best])


def _project(value: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """The best amplitude of each fit, not negative, and what is left to explain."""
    size = (value * value).sum(axis=1)
    amplitude = np.divide((value * mean).sum(axis=1), size, out=np.zeros(len(size)), where=size > 0)
    return amplitude, mean - amplitude[:, None] * value


def _starts(
    values: Floats, mean: Floats, sizes: tuple[int, ...]
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """For each row the best points of the grid that no neighbour betters, padded with the best."""
    size = np.maximum((values * values).sum(axis=1), 1e-300)
    explained = ((mean @ values.T) ** 2 / size).reshape(-1, *sizes)
    top = np.ones(explained.shape, np.bool_)
    for axis in range(1, explained.ndim):
        step = np.diff(explained, axis=axis)
        pad = [(0, 0)] * explained.ndim
        pad[axis] = (1, 0)
        top &= np.pad(step >= 0, pad, constant_values=True)
        pad[axis] = (0, 1)
        top &= np.pad(step <= 0, pad, constant_values=True)
    flat = np.where(top, explained, -1.0).reshape(len(mean), -1)
    n = min(STARTS, flat.shape[1])
    order = np.argsort(-flat, axis=1, kind="stable")[:, :n]
    peaks = np.take_along_axis(flat, order, axis=1) >= 0
    return np.where(peaks, order, order[:, :1])


def _slopes(shape: Shape, parameters: Floats, rank: Floats, mean: Floats) -> Floats:
    """[fits, p]: the gradient of half the squared error, the amplitude being the best each time."""
    value, slope = shape(parameters, rank)
    amplitude, rest = _project(value, mean)
    # What is left stands at right angles to the curve, so its amplitude's change plays no part.
    found: Floats = -amplitude[:, None] * np.einsum("ndp,nd->np", slope, rest)
    return found


def _search(
    shape: Shape, mean: Floats, begin: Floats, rank: Floats, low: Floats, high: Floats
) -> Fit:
    """Damped Newton steps inside the bounds, all fits side by side.

    The curvature is the difference of exact gradients; where it is not positive its size counts.
    """

    def squares(parameters: Floats) -> Floats:
        rest = _project(shape(parameters, rank)[0], mean)[1]
        total: Floats = (rest * rest).sum(axis=1)
        return total

    parameters = begin.copy()
    error = squares(parameters)
    n, p = parameters.shape
    damping = np.full(n, 1e-3)
    for _ in range(STEPS):
        gradient = _slopes(shape, parameters, rank, mean)
        curvature = np.empty((n, p, p))
        for at in range(p):
            step = np.zeros(p)
            step[at] = NEAR
            above, below = (
                _slopes(shape, parameters + sign * step, rank, mean) for sign in (1, -1)
            )
            curvature[:, :, at] = (above - below) / (2 * NEAR)
        stuck = ((parameters <= low) & (gradient > 0)) | ((parameters >= high) & (gradient < 0))
        gradient = np.where(stuck, 0.0, gradient)
        curvature = np.where(stuck[:, :, None] | stuck[:, None, :], 0.0, curvature)
        sizes, axes = np.linalg.eigh((curvature + curvature.transpose(0, 2, 1)) / 2)
        sizes = np.abs(sizes)
        sizes = sizes + damping[:, None] * sizes.max(axis=1, keepdims=True) + 1e-14
        along = np.einsum("npq,np->nq", axes, gradient) / sizes
        step_of = np.clip(np.einsum("npq,nq->np", axes, along), -2.0, 2.0)
        tried = np.clip(parameters - step_of, low, high)
        new = squares(tried)
        better = new < error
        moved = np.abs(tried - parameters).max(axis=1)
        parameters = np.where(better[:, None], tried, parameters)
        error = np.where(better, new, error)
        damping = np.where(better, np.maximum(damping / 10, 1e-12), damping * 10)
        if ((moved < 1e-9) | (~better & (damping > 1e8))).all():
            break
    amplitude, rest = _project(shape(parameters, rank)[0], mean)
    return Fit(amplitude, parameters, (rest * rest).sum(axis=1))
