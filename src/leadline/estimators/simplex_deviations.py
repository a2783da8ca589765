"""Least absolute deviations over weights that are not negative and sum to 1: a linear programme."""

import numpy as np

from leadline.tables.arrays import Bools, Floats

TINY = 1e-9


def least_deviations(a: Floats, b: Floats) -> tuple[Floats, float]:
    """The w >= 0 with sum 1 that minimises sum |a w - b|, and how far from the least it may be.

    HiGHS finds a vertex and its dual; the dual describes all optima, and of these the shortest is
    taken. The second number is the duality gap.

    >>> a = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    >>> w, gap = least_deviations(a, np.array([0.7, 0.0]))
    >>> w.round(6).tolist(), abs(gap) < 1e-12
    ([0.7, 0.15, 0.15], True)
    """
    n = a.shape[1]
    scale = float(np.abs(a).max(initial=0.0))
    if n == 1 or scale == 0.0:
        return np.full(n, 1 / n), 0.0
    a, b = a / scale, b / scale
    w, y = _vertex(a, b)
    w = _shortest(a, b, w, y)
    return w, scale * gap(a, b, w, y)


def gap(a: Floats, b: Floats, w: Floats, y: Floats) -> float:
    """Value of w minus the bound that multipliers y, |y| <= 1, give for every w of the simplex."""
    y = np.clip(y, -1.0, 1.0)
    bound = float((a.T @ y).min() - y @ b)
    return float(np.abs(a @ w - b).sum()) - bound


def _vertex(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """An optimum and its multipliers, from the dual: max least(a'y) - b'y over -1 <= y <= 1.

    It has a column for each row of `a` and a row for each weight, a third of the primal's size.
    """
    from scipy.optimize import linprog

    m, n = a.shape
    found = linprog(
        np.append(b, -1.0),
        A_ub=np.concatenate([-a.T, np.ones((n, 1))], axis=1),
        b_ub=np.zeros(n),
        bounds=np.array([(-1.0, 1.0)] * m + [(-np.inf, np.inf)]),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise ValueError(f"the linear programme was not solved: {found.message}")
    w = np.maximum(-found.ineqlin.marginals, 0.0)
    return w / w.sum(), found.x[:m]


def _shortest(a: Floats, b: Floats, w: Floats, y: Floats) -> Floats:
    """The shortest of all optima.

    A multiplier inside (-1, 1) says that its deviation is 0 at every optimum; at an end, that the
    deviation has that sign; and a weight whose slope is above the least is 0 at every optimum.
    """
    slope = a.T @ y
    may: Bools = slope <= slope.min() + TINY
    fixed = np.abs(y) < 1 - TINY
    at = np.flatnonzero(may | (w > TINY))
    equal = np.concatenate([a[fixed][:, at], np.ones((1, len(at)))])
    if len(at) < 2:
        return w
    _, size, right = np.linalg.svd(equal)
    rank = int((size > 1e-9 * size[0]).sum())
    free = right[rank:].T
    if not free.shape[1]:
        return w
    rest = a @ w - b
    open_ = ~fixed
    sign = np.sign(y[open_])
    normal = np.concatenate([np.eye(len(at)), sign[:, None] * a[open_][:, at]]) @ free
    room = np.concatenate([w[at], np.maximum(sign * rest[open_], 0.0)])
    moved = w.copy()
    moved[at] = np.maximum(w[at] + free @ _least_distance(normal, room, -free.T @ w[at]), 0.0)
    shortest: Floats = moved / moved.sum()
    return shortest


def _least_distance(normal: Floats, room: Floats, target: Floats) -> Floats:
    """The z nearest to the target with normal z >= -room (Lawson and Hanson, chapter 23).

    z = 0 is allowed, because no room is negative.
    """
    from scipy.optimize import nnls

    if (normal @ target >= -room).all():
        return target
    size = np.sqrt((normal * normal).sum(axis=1))
    kept = size > 1e-12
    normal, limit = normal[kept] / size[kept, None], -room[kept] / size[kept]
    shifted = limit - normal @ target
    matrix = np.concatenate([normal.T, shifted[None, :]])
    goal = np.append(np.zeros(len(target)), 1.0)
    u, _ = nnls(matrix, goal)
    rest = matrix @ u - goal
    if abs(rest[-1]) < 1e-12:
        return np.zeros(len(target))
    z: Floats = target - rest[:-1] / rest[-1]
    # Rounding may leave a constraint by a hair: step back towards 0, which is allowed.
    step = normal @ z
    over = step < limit
    if over.any():
        z = z * max(0.0, float(np.min(limit[over] / step[over])))
    return z
