"""How far two evaluations order the same runs apart, and how many pairs of runs one separates."""

from typing import Literal

import numpy as np

from leadline.tables.arrays import Floats

Alpha = Literal["one", "sigma"]


def kendall_distance(first: Floats, second: Floats) -> float:
    """Share of the pairs of runs that two sets of means order against each other.

    Formula: pairs i < j with sigma_ij * sigma'_ij < 0, divided by n (n - 1) / 2

    A tie in either is no disagreement. 0 with fewer than two runs.

    >>> kendall_distance(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).__round__(4)
    0.3333
    """
    i, j = np.triu_indices(len(first), 1)
    if not len(i):
        return 0.0
    against = np.sign(first[i] - first[j]) * np.sign(second[i] - second[j]) < 0
    return float(against.mean())


def strengths(scores: Floats) -> Floats:
    """For every pair of runs i < j, how strongly scores [runs, topics] put i above j.

    Formula: sigma_ij = 0.5 - p if the mean of i is higher, p - 0.5 if it is lower, 0 if equal

    p is that of a one-tailed paired t-test over topics. From -0.5 to 0.5. Runs that differ by the
    same on every topic are told apart with certainty, identical ones not at all. Topics on which
    either run is undefined are left out.

    >>> strengths(np.array([[0.4, 0.6, 0.5], [0.1, 0.2, 0.3]])).round(4).tolist()
    [0.4825]
    """
    from scipy.special import stdtr

    i, j = np.triu_indices(len(scores), 1)
    difference = scores[i] - scores[j]
    n = (~np.isnan(difference)).sum(axis=1)
    mean = np.nansum(difference, axis=1) / np.maximum(n, 1)
    squares = np.nansum((difference - mean[:, None]) ** 2, axis=1)
    error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
    # Differences that are equal but for rounding have no spread.
    even = error <= 1e-14 * np.abs(mean)
    t = np.divide(mean, error, out=np.where(mean > 0, np.inf, -np.inf), where=~even)
    t = np.where((n < 2) | (np.abs(mean) <= 1e-15), 0.0, t)
    sigma: Floats = stdtr(np.maximum(n - 1, 1), t) - 0.5
    return sigma


def distance(first: Floats, second: Floats, alpha: Alpha = "one") -> float:
    """How much the strengths of all pairs of runs differ between two sets of scores.

    Formula: dist = sum over pairs i < j of alpha * |sigma'_ij - sigma_ij|

    alpha is 1, or |sigma_ij| with alpha="sigma", so that pairs count which the first separates.

    Lu, Moffat and Culpepper, SIGIR 2017, Eq. 11.
    """
    mine, theirs = strengths(first), strengths(second)
    weight = np.abs(mine) if alpha == "sigma" else np.ones(len(mine))
    return float((weight * np.abs(theirs - mine)).sum())


def discrimination(scores: Floats, level: float = 0.05) -> float:
    """Share of the pairs of runs that a two-tailed paired t-test over topics separates."""
    sigma = strengths(scores)
    return float((2 * (0.5 - np.abs(sigma)) < level).mean()) if len(sigma) else 0.0
