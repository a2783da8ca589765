"""Weights that are not negative and sum to 1: least squares, norms, absolute deviations.

The sum is smooth wherever no norm is 0, and convex. Each step minimises its quadratic model over
the simplex exactly. Norms that vanish are rounded off, less and less. What comes out is proven by
the dual: no sum is smaller than `bound`.
"""

from itertools import pairwise

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s

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


SQUARES_RIDGE = 1e-11
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
    rows = np.concatenate([a / scale, np.sqrt(SQUARES_RIDGE) * np.eye(n)])
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


STAGES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
"""Widths of the rounding of norms near 0, as shares of the mean norm at the start."""

STEPS = 60
NORMS_RIDGE = 1e-8
"""Of equally good weights the shortest: so much of their squared length, as a share of the mean
norm, is part of the objective. It moves the optimum by less than half of that."""

GOAL = 1e-13


class Norms:
    """sum over blocks of |a w - b|, `block` telling the block of each row."""

    def __init__(self, a: Floats, b: Floats, block: Int64s) -> None:
        order = np.argsort(block, kind="stable")
        self.a, self.b = a[order], b[order]
        first = np.flatnonzero(np.diff(block[order], prepend=-1))
        self.first = first
        bounds = [*first.tolist(), len(block)]
        parts = [self.a[low:high] for low, high in pairwise(bounds)]
        self.gram: Floats = np.stack([part.T @ part for part in parts])

    def sizes(self, w: Floats) -> Floats:
        """The norm of each block."""
        rest = self.a @ w - self.b
        sizes: Floats = np.sqrt(np.add.reduceat(rest * rest, self.first))
        return sizes

    def value(self, w: Floats) -> float:
        """The sum."""
        return float(self.sizes(w).sum())

    def slopes(self, w: Floats) -> Floats:
        """[blocks, weights]: half the gradient of each squared norm."""
        rest = self.a @ w - self.b
        slopes: Floats = np.add.reduceat(self.a * rest[:, None], self.first, axis=0)
        return slopes

    def bound(self, w: Floats, width: float) -> float:
        """No w of the simplex has a smaller sum than this.

        For vectors z not longer than 1, one a block, sum |a w - b| >= sum z.(a w - b), which is
        least at a corner. The best z are the deviations at the optimum, scaled to length 1.
        """
        rest = self.a @ w - self.b
        size = np.sqrt(np.add.reduceat(rest * rest, self.first) + width**2)
        counts = np.diff(np.append(self.first, len(rest)))
        length = np.repeat(size, counts)
        z = np.divide(rest, length, out=np.zeros(len(rest)), where=length > 0)
        return float((z @ self.a).min() - z @ self.b)


def least_norms(a: Floats, b: Floats, block: Int64s) -> tuple[Floats, float]:
    """The w >= 0 with sum 1 that minimises the sum of norms, and how far from the least it may be.

    Of equally good weights the shortest.

    >>> w, gap = least_norms(np.eye(2), np.array([0.7, 0.0]), np.array([0, 1]))
    >>> w.round(4).tolist(), gap < 1e-6
    ([0.7, 0.3], True)
    """
    n = a.shape[1]
    w = np.full(n, 1 / n)
    if n == 1 or not len(b) or not a.any():
        return w, 0.0
    norms = Norms(a, b, block)
    mean = norms.value(w) / len(norms.first)
    if mean <= 1e-14 * max(float(np.abs(a).max()), float(np.abs(b).max())):
        # Equal weights are right but for rounding.
        return w, norms.value(w)
    found, least, bound = w, norms.value(w), 0.0
    for stage in STAGES:
        width = stage * mean
        w = _newton(norms, w, width, NORMS_RIDGE * mean)
        smooth = norms.sizes(w).min() > 100 * width
        if smooth:
            width = 1e-13 * mean
            w = _newton(norms, w, width, NORMS_RIDGE * mean)
        bound = max(bound, norms.bound(w, width))
        value = norms.value(w)
        # Of values that are equal but for the ridge, the later comes from less rounding.
        if value <= least + NORMS_RIDGE * mean:
            found, least = w, value
        if smooth:
            break
    return found, least - bound


def _newton(norms: Norms, w: Floats, width: float, ridge: float) -> Floats:
    """Steps until the tangent promises nothing more, or rounding ends all progress."""

    def objective(at: Floats) -> float:
        sizes = np.sqrt(norms.sizes(at) ** 2 + width**2)
        return float(sizes.sum() + ridge / 2 * (at @ at))

    now = objective(w)
    for _ in range(STEPS):
        size = np.sqrt(norms.sizes(w) ** 2 + width**2)
        slopes = norms.slopes(w)
        gradient = slopes.T @ (1 / size) + ridge * w
        if gradient @ w - gradient.min() <= GOAL * now:
            break
        curvature = np.tensordot(1 / size, norms.gram, 1) - (slopes.T / size**3) @ slopes
        scale = max(float(np.trace(curvature)), 1e-300)
        curvature = curvature + np.eye(len(w)) * max(ridge, 1e-13 * scale)
        values, vectors = np.linalg.eigh(curvature)
        root = np.sqrt(np.maximum(values, 1e-13 * scale))
        r = root[:, None] * vectors.T
        c = r @ w - (vectors.T @ gradient) / root
        size_of = np.abs(root).max()
        aim = nearest(r / size_of, c / size_of, w)
        step, new = 1.0, now
        promised = float(gradient @ (aim - w))
        while step > 1e-10:
            tried = w + step * (aim - w)
            new = objective(tried)
            if new <= now + 1e-4 * step * promised:
                break
            step /= 2
        if not new < now:
            break
        w = np.maximum(tried, 0.0)
        w /= w.sum()
        now = new
    return w
