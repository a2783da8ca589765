"""Paired significance tests over topics, for many pairs of runs at once."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, ndtr, stdtr

from leadline.comparison.hypothesis_test import Tails, Test, tests
from leadline.tables.arrays import Floats


@tests.register
@dataclass(frozen=True)
class Wilcoxon(Test):
    """Wilcoxon's signed rank test: do the larger differences go one way?

    Formula: z = (V - n(n+1)/4 -+ 1/2) / sqrt(n(n+1)(2n+1)/24 - sum(t^3 - t)/48), p = 1 - Phi(z)

    V is the sum of the ranks of the positive differences. Zeros are dropped, ties share their mean
    rank; the normal approximation has the tie and the continuity correction, as R's wilcox.test
    with exact=FALSE. It does not test that the means are equal: differences that are skewed, though
    their mean is 0, count as a finding far more often than the level says. Two tails double the
    smaller side. Differences are rounded to 12 decimals, so that 0.3 - 0.2 and 0.2 - 0.1 tie; R and
    scipy take them as computed, as decimals=none does, and they do not.

    >>> rows = np.array([[1.0, 2.0, -1.0, 4.0]])
    >>> Wilcoxon().p(rows, 1, np.random.default_rng(0)).round(4).tolist()
    [0.1346]

    Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945.
    """

    null = "differences lie evenly about 0, not that the means are equal"
    by_mean = False

    decimals: int | None = 12

    def __post_init__(self) -> None:
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            raise ValueError(f"decimals must lie between 0 and 15, not {self.decimals}")

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        if self.decimals is not None:
            difference = np.round(difference, self.decimals)
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
        centred = v - n * (n + 1) / 4
        centred -= 0.5 if tails == 1 else 0.5 * np.sign(centred)
        z = np.divide(centred, spread, out=np.full(len(n), np.nan), where=spread > 0)
        p: Floats = ndtr(-z) if tails == 1 else 2 * ndtr(-np.abs(z))
        return p


def lasting_p(difference: Floats) -> float:
    """One-tailed p of Wilcoxon's test on one row, which never rises when a difference grows.

    V counts the pairs of topics, each with itself too, whose differences have a sum above 0; zeros
    and ties count against. So where differences are the least that they can become, p is never
    below what it will be once all is judged, however often one looks.

    >>> round(lasting_p(np.array([1.0, 2.0, 3.0, 4.0])), 4)
    0.0502
    >>> round(lasting_p(np.array([1.0, 2.0, 3.0, 0.0])), 4)
    0.1006
    """
    n = len(difference)
    above = np.add.outer(difference, difference) > 0
    v = (above.sum() + np.diag(above).sum()) / 2
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return float(ndtr(-(v - n * (n + 1) / 4 - 0.5) / spread))


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


@tests.register
@dataclass(frozen=True)
class T(Test):
    """Student's paired t-test: is the mean difference large for its spread over topics?

    Formula: t = mean * sqrt(n) / sd with n - 1 degrees of freedom

    Where all differences are the same and not 0, p is 0 (or 1, against the tail). NaN for one
    topic, and where all differences are 0.

    >>> T().p(np.array([[1.0, 2.0, 3.0]]), 2, np.random.default_rng(0)).round(4).tolist()
    [0.0742]

    Student, The probable error of a mean, Biometrika 1908.
    """

    null = "the means over topics are equal"

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        n, mean, sd = moments(difference)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean * np.sqrt(n) / sd
            below = stdtr(n - 1.0, -t if tails == 1 else -np.abs(t))
        p: Floats = np.where(n > 1, tails * below, np.nan)
        return p


def moments(difference: Floats) -> tuple[Floats, Floats, Floats]:
    """Number, mean and standard deviation of each row's cells that are not NaN.

    A mean or a standard deviation that is only noise of the last digits is 0.
    """
    used = ~np.isnan(difference)
    n = used.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(used, difference, 0.0).sum(axis=1) / n
        off = np.where(used, difference - mean[:, None], 0.0)
        sd = np.sqrt((off**2).sum(axis=1) / (n - 1))
    noise = 1e-13 * np.where(used, np.abs(difference), 0.0).max(axis=1, initial=0.0)
    mean = np.where(np.abs(mean) > noise, mean, np.where(n > 0, 0.0, np.nan))
    return n, mean, np.where(sd > noise, sd, np.where(n > 1, 0.0, np.nan))


@tests.register
@dataclass(frozen=True)
class Sign(Test):
    """The sign test: is one run ahead on more topics than a fair coin would give?

    Formula: p = P(X >= k), X ~ Binomial(n, 1/2), k positive of n differences that are not 0

    Exact. Two tails double the smaller side, at most 1. It does not test that the means are equal:
    a run may be ahead on most topics by little and behind on the others by much.

    >>> Sign().p(np.array([[0.1, 0.2, 0.3, 0.0, -0.1]]), 1, np.random.default_rng(0)).tolist()
    [0.3125]
    """

    null = "each run is ahead on as many topics as the other, not that their means are equal"
    by_mean = False

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        with np.errstate(invalid="ignore"):
            above = (difference > 0).sum(axis=1)
            below = (difference < 0).sum(axis=1)
        n = above + below
        k = above if tails == 1 else np.maximum(above, below)
        tail = np.where(k > 0, bdtrc(np.maximum(k - 1, 0), np.maximum(n, 1), 0.5), 1.0)
        p: Floats = np.where(n > 0, np.minimum(1.0, tails * tail), np.nan)
        return p
