"""Paired significance tests over topics, for many pairs of runs at once."""

import numpy as np
from scipy.special import ndtr

from leadline.data.arrays import Floats


def wilcoxon(first: Floats, second: Floats) -> Floats:
    """One-tailed p that `first` is larger than `second`, one for each row of paired values.

    Formula: z = (V - n(n+1)/4 - 1/2) / sqrt(n(n+1)(2n+1)/24 - sum(t^3 - t)/48), p = 1 - Phi(z)

    V is the sum of the ranks of the positive differences. Zeros are dropped, ties share their mean
    rank; the normal approximation has the tie and the continuity correction, as R's wilcox.test
    with exact=FALSE. NaN where all differences are zero or missing.

    >>> wilcoxon(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 0.0, 4.0, 0.0])).round(4).tolist()
    [0.1346]
    """
    difference = np.atleast_2d(first - second)
    size = np.abs(difference)
    size[(size == 0) | np.isnan(size)] = np.inf
    order = np.argsort(size, axis=1, kind="stable")
    ordered = np.take_along_axis(size, order, axis=1)
    rank, ties = _mean_ranks(ordered)
    used = np.isfinite(ordered)
    positive = np.take_along_axis(difference, order, axis=1) > 0
    n = used.sum(axis=1)
    v = np.where(used & positive, rank, 0.0).sum(axis=1)
    tied = np.where(used, ties**2 - 1, 0.0).sum(axis=1)
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - tied / 48)
    centred = v - n * (n + 1) / 4 - 0.5
    z = np.divide(centred, spread, out=np.full(len(n), np.nan), where=spread > 0)
    p: Floats = ndtr(-z)
    return p


def _mean_ranks(ordered: Floats) -> tuple[Floats, Floats]:
    """Mean rank and number of equals of every value in rows that are sorted."""
    rows, columns = ordered.shape
    place = np.arange(columns)
    begins = np.ones((rows, columns), np.bool_)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    ends = np.ones((rows, columns), np.bool_)
    ends[:, :-1] = begins[:, 1:]
    reverse = np.where(ends, place, columns)[:, ::-1]
    last = np.minimum.accumulate(reverse, axis=1)[:, ::-1]
    return (first + last) / 2 + 1, (last - first + 1).astype(np.float64)
