"""Least squares over weights that are not negative and sum to 1: an active-set method, exact."""

import numpy as np

from leadline.tables.arrays import Bools, Floats

RIDGE = 1e-11
"""Share of the squared length of the weights in the objective: of equally good weights it chooses
the shortest, and changes the optimum by less than what is printed of it."""

SLACK = 1e-14


def least_squares(a: Floats, b: Floats) -> Floats:
    """The shortest w >= 0 with sum 1 among those that minimise |a w - b|.

    >>> least_squares(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]), np.array([0.5, 0.5])).round(4)
    array([0.5 , 0.25, 0.25])
    """
    n = a.shape[1]
    scale = float(np.sqrt((a * a).sum(axis=0)).max(initial=0.0))
    if scale == 0.0 or n == 1:
        return np.full(n, 1 / n)
    rows = np.concatenate([a / scale, np.sqrt(RIDGE) * np.eye(n)])
    q, r = np.linalg.qr(rows)
    return nearest(r, q.T @ np.concatenate([b / scale, np.zeros(n)]))


def nearest(r: Floats, c: Floats, start: Floats | None = None) -> Floats:
    """The w >= 0 with sum 1 that minimises |r w - c|, for r with independent columns.

    Weights join one by one, the one first by which the error falls fastest, and leave when they
    would become negative. The error falls with every change, so none repeats.
    """
    n = r.shape[1]
    if start is None:
        w = np.zeros(n)
        w[np.argmin(((r - c[:, None]) ** 2).sum(axis=0))] = 1.0
    else:
        w = start / start.sum()
    free: Bools = w > 0
    w = _settle(r, c, w, free)
    slack = SLACK * max(1.0, float(np.abs(c).max(initial=0.0)))
    for _ in range(20 * n + 100):
        slope = r.T @ (r @ w - c)
        excess = np.where(free, np.inf, slope - slope @ w)
        enters = int(np.argmin(excess))
        if excess[enters] >= -slack:
            break
        free[enters] = True
        before = w
        w = _settle(r, c, w, free)
        if not free[enters] and np.array_equal(w, before):
            break
    return w


def _settle(r: Floats, c: Floats, w: Floats, free: Bools) -> Floats:
    """The best w over the free weights; those that would pass 0 on the way there are fixed."""
    while True:
        at = np.flatnonzero(free)
        best = _unbounded(r, c, at, int(at[np.argmax(w[at])]))
        falling = best[at] <= 0
        if not falling.any():
            return best
        here, there = w[at][falling], best[at][falling]
        reach = np.divide(here, here - there, out=np.zeros(len(here)), where=here > there)
        step = float(reach.min())
        w = w + step * (best - w)
        gone = at[falling][reach <= step + 1e-15]
        w[gone] = 0.0
        free[gone] = False
        w = np.where(free, np.maximum(w, 0.0), 0.0)
        w /= w.sum()


def _unbounded(
    r: Floats, c: Floats, at: "np.ndarray[tuple[int], np.dtype[np.int64]]", pivot: int
) -> Floats:
    """The best weights with sum 1 at these places, of either sign."""
    w = np.zeros(r.shape[1])
    others = at[at != pivot]
    if len(others):
        q, upper = np.linalg.qr(r[:, others] - r[:, [pivot]])
        w[others] = np.linalg.solve(upper, q.T @ (c - r[:, pivot]))
    w[pivot] = 1.0 - w[others].sum()
    return w
