"""How alike two evaluations order the same runs: correlations, overlap, leaders."""

from typing import Literal

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s


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


Ties = Literal["w", "a", "b"]
P = 0.9


def rbo(a: Floats, b: Floats, p: float = P, ties: Ties = "w") -> float:
    """Extrapolated rank-biased overlap of the runs ordered by two sets of scores.

    RBO = (1 - p) * sum over d = 1..n of p^(d-1) A_d + p^n A_n, A_d how far the first d agree.
    Without ties A_d is the share of runs that both have among their first d. Of runs with equal
    scores `w` takes all as soon as the first is in, A_d = 2 |X and Y| / (|X| + |Y|), as Webber et
    al. do; `a` is the mean over all ways of breaking ties; `b` puts that right for what ties hide,
    so that an ordering agrees with itself fully.

    >>> rbo(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]), p=0.5)
    0.5
    >>> rbo(np.array([3.0, 3.0, 1.0]), np.array([3.0, 2.0, 1.0]), p=0.5).__round__(4)
    0.8333

    Webber, Moffat and Zobel, A similarity measure for indefinite rankings, TOIS 2010. Corsi and
    Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024.
    """
    if not 0 < p < 1:
        raise ValueError(f"p must lie between 0 and 1, not {p}")
    n = len(a)
    if not n:
        return np.nan
    x, y = _inside(a, ties), _inside(b, ties)
    both = (x * y).sum(axis=1)
    if ties == "w":
        agreement = 2 * both / (x.sum(axis=1) + y.sum(axis=1))
    elif ties == "a":
        agreement = both / np.arange(1, n + 1)
    else:
        agreement = both / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    weights = (1 - p) * p ** np.arange(n)
    return float((weights * agreement).sum() + p**n * agreement[-1])


def _inside(scores: Floats, ties: Ties) -> Floats:
    """depth x runs: how far each run is among the first d."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    starts: Bools = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    group = starts.cumsum() - 1
    first = np.flatnonzero(starts)[group]
    size = np.bincount(group)[group]
    depth = np.arange(1, len(scores) + 1)[:, None]
    share = np.clip((depth - first) / (1 if ties == "w" else size), 0.0, 1.0)
    made: Floats = np.empty_like(share)
    made[:, order] = share
    return made


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

    t, degrees = _t_of_pairs(scores)
    sigma: Floats = stdtr(degrees, t) - 0.5
    return sigma


def _t_of_pairs(scores: Floats) -> tuple[Floats, Floats]:
    """For every pair of runs i < j, the paired t and its degrees of freedom."""
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
    return t, np.maximum(n - 1, 1).astype(np.float64)


def distance(first: Floats, second: Floats, alpha: Alpha = "one") -> float:
    """How much the strengths of all pairs of runs differ between two sets of scores.

    Formula: dist = sum over pairs i < j of alpha * |sigma'_ij - sigma_ij|

    alpha is 1, or |sigma_ij| with alpha="sigma", so that pairs count which the first separates.

    Lu, Moffat and Culpepper, SIGIR 2017, Eq. 11.
    """
    mine, theirs = strengths(first), strengths(second)
    weight = np.abs(mine) if alpha == "sigma" else np.ones(len(mine))
    return float((weight * np.abs(theirs - mine)).sum())


NODES = 31
"""Of the quadrature over the scores on other topics."""


def new_topics(scores: Floats) -> tuple[float, float]:
    """Estimate how far scores [runs, topics] lie from those on another sample of as many topics.

    Formula: mean over pairs of Phi(-|t| / sqrt 2), and sum over pairs of E |sigma(t') - sigma(t)|

    A scale for `kendall_distance` and `distance`: what the sample of topics alone gives. On other
    topics a pair's t' is taken to be normal with mean t and variance 2: the errors of both samples.

    >>> tau, dist = new_topics(np.array([[0.5, 0.6, 0.4], [0.6, 0.4, 0.5]]))
    >>> round(tau, 4), round(dist, 4)
    (0.5, 0.2508)
    """
    from scipy.special import ndtr, stdtr

    t, degrees = _t_of_pairs(scores)
    if not len(t):
        return 0.0, 0.0
    some = np.isfinite(t)
    # A pair of runs that are the same on every topic is so on others too.
    i, j = np.triu_indices(len(scores), 1)
    some &= np.nanmax(np.abs(scores[i] - scores[j]), axis=1, initial=0.0) > 0
    turned = np.where(some, ndtr(-np.abs(np.where(some, t, 0.0)) / np.sqrt(2)), 0.0)
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    away = np.zeros(len(t))
    here = stdtr(degrees, t)
    for z, share in zip(node, weight / weight.sum(), strict=True):
        away += share * np.abs(stdtr(degrees, t + np.sqrt(2) * z) - here)
    return float(turned.mean()), float(away[some].sum())


def discrimination(scores: Floats, level: float = 0.05) -> float:
    """Share of the pairs of runs that a two-tailed paired t-test over topics separates."""
    sigma = strengths(scores)
    return float((2 * (0.5 - np.abs(sigma)) < level).mean()) if len(sigma) else 0.0


K = 10
EQUAL = 1e-9
"""Scores that differ by less are equal: estimates carry the noise of a solver."""


def leader_drop(a: Floats, b: Floats) -> int:
    """How many ranks the best run by a is lower by b; of several best, the one that falls least.

    >>> leader_drop(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]))
    2
    """
    return int(ranks(b)[a >= a.max() - EQUAL].min()) - 1


def largest_drop(a: Floats, b: Floats, k: int = K) -> int:
    """The most ranks that one of the best k runs by a is lower by b, 0 if none falls.

    >>> largest_drop(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]), k=2)
    2
    """
    here, there = ranks(a), ranks(b)
    return max(0, int((there - here)[here <= k].max()))


def swaps(a: Floats, b: Floats, k: int = K) -> int:
    """Pairs with one of the best k runs by a that b puts the other way round; ties are no swaps.

    >>> swaps(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]), k=1)
    2
    """
    turned = np.sign(a[:, None] - a) * np.sign(b[:, None] - b) < 0
    leads = ranks(a) <= k
    return int(np.triu(turned & (leads[:, None] | leads), 1).sum())


def kept(a: Floats, b: Floats, k: int = K) -> float:
    """Share of the best k runs by a that are among the best k by b.

    >>> kept(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]), k=2)
    0.5
    """
    leads = ranks(a) <= k
    return float((ranks(b)[leads] <= k).mean())


def ranks(scores: Floats) -> Int64s:
    """Rank of each run, 1 the best; equals share the best of their ranks.

    >>> ranks(np.array([0.2, 0.5, 0.5])).tolist()
    [3, 1, 1]
    """
    better: Int64s = (scores[None, :] > scores[:, None] + EQUAL).sum(axis=1)
    return 1 + better


DECIMALS = 12
COUNTS = ("runs", "leader_drop", "largest_drop", "swaps")
"""Statistics that are whole numbers."""


def orderings(a: Floats, b: Floats, p: float = P, k: int = K) -> dict[str, float]:
    """How far b orders the runs as a does; a is the truth where a statistic has one.

    p is RBO's, k says how many are leaders; there are at most as many as runs. Scores that differ
    by less than 1e-12 are equal: means of the same numbers added in another order are.
    """
    if len(a) != len(b):
        raise ValueError(f"orderings must be of the same runs, found {len(a)} and {len(b)} scores")
    if len(a) < 2:
        raise ValueError(f"to compare orderings takes two runs, found {len(a)}")
    if k < 1:
        raise ValueError(f"k, the number of leaders, must be at least 1, not {k}")
    k = min(k, len(a))
    a, b = np.round(a, DECIMALS), np.round(b, DECIMALS)
    return {
        "runs": len(a),
        "kendall_tau_a": kendall(a, b, "a"),
        "kendall_tau_b": kendall(a, b, "b"),
        "tau_ap": tau_ap(a, b),
        "tau_ap_b": tau_ap_b(a, b),
        "kendall_distance": kendall_distance(a, b),
        "spearman": spearman(a, b),
        "rbo": rbo(a, b, p),
        "rbo_a": rbo(a, b, p, "a"),
        "rbo_b": rbo(a, b, p, "b"),
        "leader_drop": leader_drop(a, b),
        "largest_drop": largest_drop(a, b, k),
        "swaps": swaps(a, b, k),
        "kept": kept(a, b, k),
    }


def separations(a: Floats, b: Floats) -> dict[str, float]:
    """How far two tables of scores, runs x topics, separate the same pairs of runs alike.

    dist and dist_sigma are Eq. 11 of Lu, Moffat and Culpepper 2017 with alpha 1 and |sigma|, a the
    first regime; discrimination is the share of pairs that a t-test at 0.05 separates. Those that
    end in new_topics are what another sample of as many topics would give, with the scores of a.
    """
    tau, dist = new_topics(a)
    return {
        "kendall_distance_new_topics": tau,
        "dist_new_topics": dist,
        "dist": distance(a, b),
        "dist_sigma": distance(a, b, "sigma"),
        "discrimination_a": discrimination(a),
        "discrimination_b": discrimination(b),
    }
