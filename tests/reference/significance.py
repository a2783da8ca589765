"""Significance tests of paired values."""

import math


def average_ranks(values: list[float]) -> list[float]:
    """The rank of each value, 1 for the smallest; equal values share the mean of their ranks."""
    ranks = []
    for value in values:
        smaller = sum(1 for other in values if other < value)
        equal = sum(1 for other in values if other == value)
        # They hold the ranks smaller + 1, ..., smaller + equal.
        ranks.append(smaller + (equal + 1) / 2)
    return ranks


def wilcoxon_one_tailed(x: list[float], y: list[float]) -> float:
    """p-value of Wilcoxon's signed rank test of x > y, by the normal approximation.

    As R's wilcox.test(x, y, paired=TRUE, alternative="greater", exact=FALSE, correct=TRUE):

    - zero differences are dropped, n are left; none left: NaN
    - V = sum of the ranks of |difference| over the positive differences
    - variance = n (n + 1) (2n + 1) / 24 - sum over groups of t tied |differences| of (t^3 - t) / 48
    - z = (V - n (n + 1) / 4 - 1/2) / sqrt(variance), p = P(Z >= z)
    """
    differences = [a - b for a, b in zip(x, y, strict=True) if a - b != 0]
    n = len(differences)
    if n == 0:
        return math.nan
    sizes = [abs(difference) for difference in differences]
    ranks = average_ranks(sizes)
    v = 0.0
    for difference, rank in zip(differences, ranks, strict=True):
        if difference > 0:
            v += rank
    variance = n * (n + 1) * (2 * n + 1) / 24
    for size in set(sizes):
        t = sizes.count(size)
        variance -= (t**3 - t) / 48
    z = (v - n * (n + 1) / 4 - 0.5) / math.sqrt(variance)
    return 0.5 * math.erfc(z / math.sqrt(2))
