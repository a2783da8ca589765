"""How far two sets of scores order the same runs alike: Kendall, AP correlation, Spearman."""

from typing import Literal

import numpy as np

from leadline.tables.arrays import Floats


def kendall(a: Floats, b: Floats, kind: Literal["a", "b"] = "b") -> float:
    """Kendall's tau: pairs in the same order minus pairs in the opposite order, as a share.

    tau_a = (C - D) / (n(n-1)/2); tau_b = (C - D) / sqrt((n0 - ties in a) (n0 - ties in b)). A pair
    tied in either counts in neither C nor D. NaN for one run; tau_b also where all are tied.

    >>> a, b = np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 2.0, 2.0, 3.0])
    >>> round(kendall(a, b, "a"), 4), round(kendall(a, b), 4)
    (0.1667, 0.1826)

    Kendall, A new measure of rank correlation, Biometrika 1938; The treatment of ties, 1945.
    """
    x, y = _signs(a), _signs(b)
    n_pairs = len(a) * (len(a) - 1) / 2
    balance = float(np.triu(x * y, 1).sum())
    below = n_pairs if kind == "a" else float(np.sqrt((x**2).sum() / 2 * (y**2).sum() / 2))
    return balance / below if below else np.nan


def spearman(a: Floats, b: Floats) -> float:
    """Spearman's rho: the correlation of the ranks, ties at their mean rank.

    >>> round(spearman(np.array([4.0, 3.0, 2.0, 1.0]), np.array([4.0, 2.0, 2.0, 3.0])), 4)
    0.3162
    """
    x, y = (_signs(each).sum(axis=1) for each in (a, b))
    below = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float((x * y).sum()) / below if below else np.nan


def tau_ap(truth: Floats, estimate: Floats) -> float:
    """AP correlation: how often a run ranked above another by the estimate truly is better.

    tau_ap = 2/(n-1) * sum over i = 2..n of C(i)/(i-1) - 1, runs by the estimate, C(i) of those
    above the i-th truly better than it. Errors at the top weigh most. Ties are broken in all ways,
    and the mean over them is given: without ties it is the coefficient of Yilmaz et al., with ties
    in the estimate tau_AP,a of Urbano and Marrero. NaN for one run.

    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]))
    0.0
    >>> tau_ap(np.array([3.0, 2.0, 1.0]), np.array([2.0, 2.0, 1.0]))
    0.5

    Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval, SIGIR
    2008. Urbano and Marrero, The treatment of ties in AP correlation, ICTIR 2017.
    """
    n = len(truth)
    if n < 2:
        return np.nan
    # right[i, j]: the chance that j is truly better than i, 1/2 where the truth is tied.
    right = (1 - _signs(truth)) / 2
    sign = _signs(estimate)
    above, tied = sign < 0, sign == 0
    np.fill_diagonal(tied, False)
    m, g = above.sum(axis=1), tied.sum(axis=1)
    before, among = (right * above).sum(axis=1), (right * tied).sum(axis=1)
    total = 0.0
    # A run among g equals is k-th of them with chance 1/(g+1); k of the g then stand above it.
    for k in range(int(g.max()) + 1):
        now = (k <= g) & (m + k > 0)
        share = before[now] + among[now] * k / np.maximum(g[now], 1)
        total += float((share / (m[now] + k) / (g[now] + 1)).sum())
    return 2 / (n - 1) * total - 1


def tau_ap_b(a: Floats, b: Floats) -> float:
    """AP correlation as agreement: symmetric, and ties are information, not doubt.

    The mean of both directions; a run is compared with those strictly above its group of equals,
    runs of the first group with none. Pairs tied in the other ordering are not in order. NaN where
    all runs are tied in one of them.

    >>> tau_ap_b(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]))
    0.0
    >>> tau_ap_b(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 2.0]))
    1.0

    tau_AP,b of Urbano and Marrero, The treatment of ties in AP correlation, ICTIR 2017.
    """
    return (_one_way(a, b) + _one_way(b, a)) / 2


def _one_way(truth: Floats, estimate: Floats) -> float:
    right = _signs(truth) < 0
    above = _signs(estimate) < 0
    m = above.sum(axis=1)
    later = m > 0
    if not later.any():
        return np.nan
    share = (right & above).sum(axis=1)[later] / m[later]
    return float(2 * share.mean() - 1)


def _signs(scores: Floats) -> Floats:
    """sign(score of the row - score of the column): -1 where the column's run is better."""
    signs: Floats = np.sign(scores[:, None] - scores[None, :])
    return signs
