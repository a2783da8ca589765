"""Sums of Euclidean norms over weights that are not negative and sum to 1: Newton's method.

The sum is smooth wherever no norm is 0, and convex. Each step minimises its quadratic model over
the simplex exactly. Norms that vanish are rounded off, less and less. What comes out is proven by
the dual: no sum is smaller than `bound`.
"""

from itertools import pairwise

import numpy as np

from leadline.estimators.simplex_squares import nearest
from leadline.tables.arrays import Floats, Int64s

STAGES = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
"""Widths of the rounding of norms near 0, as shares of the mean norm at the start."""

STEPS = 60
RIDGE = 1e-8
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
        w = _newton(norms, w, width, RIDGE * mean)
        smooth = norms.sizes(w).min() > 100 * width
        if smooth:
            width = 1e-13 * mean
            w = _newton(norms, w, width, RIDGE * mean)
        bound = max(bound, norms.bound(w, width))
        value = norms.value(w)
        # Of values that are equal but for the ridge, the later comes from less rounding.
        if value <= least + RIDGE * mean:
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
