"""Significance tests of paired scores, corrections of p-values, and agreement of orderings.

``x`` and ``y`` hold two runs' scores on the same topics, in the same order. One-tailed tests ask
whether x is better. Wilcoxon's one-tailed test is in ``significance``, the paired t-test and the
Kendall distance are in ``estimators``. Values within 1e-12 of the sum of absolute values involved
count as equal, so that rounding settles no tie.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Literal

from .estimators import kendall_distance as kendall_distance
from .estimators import paired_t, sign
from .significance import average_ranks, wilcoxon_one_tailed

Tails = Literal[1, 2]
TIE = 1e-12


def differences(x: list[float], y: list[float]) -> list[float]:
    """x - y, topic by topic."""
    return [a - b for a, b in zip(x, y, strict=True)]


def binomial_tail(successes: int, n: int) -> float:
    """P(X >= successes) for n fair coins."""
    return math.fsum(math.comb(n, k) * 0.5**n for k in range(successes, n + 1))


def sign_test(x: list[float], y: list[float], tails: Tails = 2) -> float:
    """Exact sign test: zero differences are dropped, none left: NaN.

    One tail: P(at least as many wins of x); two: twice the smaller tail, at most 1.
    """
    signs = [sign(difference) for difference in differences(x, y) if difference != 0]
    if not signs:
        return math.nan
    wins, losses = signs.count(1), signs.count(-1)
    upper, lower = binomial_tail(wins, len(signs)), binomial_tail(losses, len(signs))
    return upper if tails == 1 else min(1.0, 2 * min(upper, lower))


def t_test(x: list[float], y: list[float], tails: Tails = 2) -> float:
    """Paired t-test; two tails: twice the smaller tail."""
    p = paired_t(x, y)
    return p if tails == 1 else 2 * min(p, 1 - p)


def wilcoxon(x: list[float], y: list[float], tails: Tails = 2) -> float:
    """Signed rank test by the normal approximation, with continuity correction, as in R.

    Two tails: twice the smaller tail, at most 1. The correction draws the statistic towards its
    mean on either side.
    """
    upper, lower = wilcoxon_one_tailed(x, y), wilcoxon_one_tailed(y, x)
    if math.isnan(upper):
        return math.nan
    return upper if tails == 1 else min(1.0, 2 * min(upper, lower))


def wilcoxon_exact(x: list[float], y: list[float], tails: Tails = 2) -> float:
    """Signed rank test over all 2^n signs of the ranks of |difference|; zero differences dropped.

    With ties this is the permutation distribution given the tied ranks.
    """
    kept = [difference for difference in differences(x, y) if difference != 0]
    if not kept:
        return math.nan
    ranks = average_ranks([abs(difference) for difference in kept])
    observed = [sign(difference) * rank for difference, rank in zip(kept, ranks, strict=True)]
    return share_as_extreme(sum(observed), sign_flips(observed), sum(ranks), tails)


def sign_flips(values: list[float]) -> Iterator[float]:
    """The sum of the values under each of the 2^n ways to flip their signs."""
    for signs in itertools.product([1, -1], repeat=len(values)):
        yield math.fsum(s * value for s, value in zip(signs, values, strict=True))


def share_as_extreme(observed: float, others: Iterator[float], scale: float, tails: Tails) -> float:
    """Share of others >= observed; with two tails, of |others| >= |observed|."""
    hits = total = 0
    for other in others:
        total += 1
        a, b = (other, observed) if tails == 1 else (abs(other), abs(observed))
        hits += a >= b - TIE * scale
    return hits / total


def randomisation_exact(x: list[float], y: list[float], tails: Tails = 2) -> float:
    """Fisher's randomisation test of the mean difference over all 2^n sign flips.

    The observed one is among them, so p >= 1 / 2^n; 1 for identical scores.
    """
    d = differences(x, y)
    scale = math.fsum(abs(value) for value in d)
    return share_as_extreme(math.fsum(d), sign_flips(d), scale, tails)


def bootstrap_exact(
    x: list[float],
    y: list[float],
    tails: Tails = 2,
    statistic: Literal["mean", "t"] = "mean",
) -> float:
    """Paired bootstrap test over all n^n resamples, for n of up to 6 or so.

    Differences are shifted to mean 0 (the null hypothesis) and resampled. "mean": Efron and
    Tibshirani (1993), 16.4, by means; "t": Sakai (SIGIR 2006), by mean / (s / sqrt(n)), a resample
    without spread counting as 0 or, unless its mean is 0, as infinite.
    """
    d = differences(x, y)
    centre = math.fsum(d) / len(d)
    shifted = [value - centre for value in d]
    scale = math.fsum(abs(value) for value in d)

    def value_of(draw: list[float]) -> float:
        mean = math.fsum(draw) / len(draw)
        if statistic == "mean":
            return mean
        squares = math.fsum((v - mean) ** 2 for v in draw)
        error = math.sqrt(squares / (len(draw) - 1) / len(draw))
        if error > TIE * scale:
            return mean / error
        return math.copysign(math.inf, mean) if abs(mean) > TIE * scale else 0.0

    resamples = (value_of(list(draw)) for draw in itertools.product(shifted, repeat=len(d)))
    return share_as_extreme(value_of(d), resamples, scale if statistic == "mean" else 1.0, tails)


def bootstrap_means(x: list[float], y: list[float]) -> list[float]:
    """The mean difference of each of the n^n resamples of topics, sorted: for intervals."""
    d = differences(x, y)
    return sorted(math.fsum(draw) / len(d) for draw in itertools.product(d, repeat=len(d)))


def holm(p: list[float]) -> list[float]:
    """Holm (1979): the i-th smallest of m becomes max over j <= i of min(1, (m - j + 1) p_(j))."""
    m = len(p)
    order = sorted(range(m), key=lambda i: p[i])
    corrected = [0.0] * m
    highest = 0.0
    for j, i in enumerate(order, start=1):
        highest = max(highest, min(1.0, (m - j + 1) * p[i]))
        corrected[i] = highest
    return corrected


def benjamini_hochberg(p: list[float]) -> list[float]:
    """Benjamini and Hochberg (1995): min over j >= i of min(1, m p_(j) / j)."""
    m = len(p)
    order = sorted(range(m), key=lambda i: p[i])
    corrected = [0.0] * m
    lowest = 1.0
    for j in range(m, 0, -1):
        i = order[j - 1]
        lowest = min(lowest, m * p[i] / j)
        corrected[i] = lowest
    return corrected


def tukey_exact(scores: list[list[float]]) -> dict[tuple[int, int], float]:
    """Randomised Tukey HSD (Carterette, TOIS 2012; Sakai 2018) over all (runs!)^topics shufflings.

    ``scores[run][topic]``. Each topic's scores are shuffled among the runs; p of runs i < j is the
    share of shufflings in which (largest - smallest mean) >= |mean_i - mean_j|.
    """
    n_runs, n_topics = len(scores), len(scores[0])
    scale = math.fsum(abs(value) for row in scores for value in row)
    columns = [[scores[run][topic] for run in range(n_runs)] for topic in range(n_topics)]
    ranges = []
    for shuffled in itertools.product(*(itertools.permutations(column) for column in columns)):
        means = [math.fsum(column[run] for column in shuffled) / n_topics for run in range(n_runs)]
        ranges.append(max(means) - min(means))
    observed = [math.fsum(row) / n_topics for row in scores]
    p = {}
    for i, j in itertools.combinations(range(n_runs), 2):
        difference = abs(observed[i] - observed[j])
        p[i, j] = len([r for r in ranges if r >= difference - TIE * scale]) / len(ranges)
    return p


def kendall_tau_a(x: list[float], y: list[float]) -> float:
    """(concordant - discordant pairs) / (n (n - 1) / 2); a tie in either is neither."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    return sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs) / len(pairs)


def kendall_tau_b(x: list[float], y: list[float]) -> float:
    """(concordant - discordant) / sqrt(pairs not tied in x * pairs not tied in y); NaN if 0."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    agreement = sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)
    untied_x = len([1 for i, j in pairs if x[i] != x[j]])
    untied_y = len([1 for i, j in pairs if y[i] != y[j]])
    if untied_x * untied_y == 0:
        return math.nan
    return agreement / math.sqrt(untied_x * untied_y)


def tau_ap(true: list[float], estimated: list[float]) -> float:
    """Yilmaz, Aslam and Robertson (SIGIR 2008): 2/(n-1) sum over i = 2..n of C(i)/(i-1) - 1.

    Down the estimated order, C(i) counts the items above the i-th that are above it in the true
    order as well. Not symmetric: disagreement at the top of the estimated order costs most.
    ValueError if anything is tied.
    """
    if len(set(true)) < len(true) or len(set(estimated)) < len(estimated):
        raise ValueError("tau_ap is not defined with ties")
    order = sorted(range(len(true)), key=lambda item: -estimated[item])
    return tau_ap_down(order, true)


def tau_ap_down(order: list[int], true: list[float]) -> float:
    """tau_ap of an order of the items without ties; a tie in true is not an agreement."""
    n = len(order)
    total = 0.0
    for i in range(1, n):
        above = [item for item in order[:i] if true[item] > true[order[i]]]
        total += len(above) / i
    return 2 / (n - 1) * total - 1


def tie_groups(scores: list[float]) -> list[list[int]]:
    """Items by score, highest first; equal ones in one group."""
    return [
        [item for item, score in enumerate(scores) if score == value]
        for value in sorted(set(scores), reverse=True)
    ]


def tau_ap_a(true: list[float], estimated: list[float]) -> float:
    """Urbano and Marrero (ICTIR 2017): the mean of tau_ap over all ways to break estimated ties.

    For a true order without ties (ValueError otherwise): estimated ties are ignorance of it.
    """
    if len(set(true)) < len(true):
        raise ValueError("tau_ap_a needs a true order without ties")
    values = [tau_ap_down(order, true) for order in broken_ties(estimated)]
    return math.fsum(values) / len(values)


def tau_ap_b(x: list[float], y: list[float]) -> float:
    """Urbano and Marrero (ICTIR 2017): ties are equality, and neither order is the true one.

    The mean of both directions; NaN if either order is one large tie.
    """
    return (tau_ap_b_down(x, y) + tau_ap_b_down(y, x)) / 2


def tau_ap_b_down(true: list[float], estimated: list[float]) -> float:
    """2 mean over items i below the top group of (agreements above i's group) / (p_i - 1) - 1.

    p_i - 1 is the number of items above i's group; an item tied with i in true does not agree.
    """
    shares = []
    for i, score in enumerate(estimated):
        above = [item for item, other in enumerate(estimated) if other > score]
        if above:
            shares.append(len([item for item in above if true[item] > true[i]]) / len(above))
    return 2 * math.fsum(shares) / len(shares) - 1 if shares else math.nan


def spearman(x: list[float], y: list[float]) -> float:
    """Pearson's correlation of the ranks, ties sharing their mean rank; NaN if one is constant."""
    a, b = average_ranks(x), average_ranks(y)
    middle = (len(x) + 1) / 2
    covariance = math.fsum((r - middle) * (s - middle) for r, s in zip(a, b, strict=True))
    spread = math.fsum((r - middle) ** 2 for r in a) * math.fsum((s - middle) ** 2 for s in b)
    return covariance / math.sqrt(spread) if spread > 0 else math.nan


def rbo_ext(shorter: list[str], longer: list[str], p: float) -> float:
    """Extrapolated rank-biased overlap of two lists without ties.

    Webber, Moffat and Zobel (TOIS 2010), Eq. 32, with s <= l the lengths and X_d the overlap of the
    first d: (1-p)/p [sum_(d=1..l) X_d/d p^d + sum_(d=s+1..l) X_s (d-s)/(s d) p^d]
    + [(X_l - X_s)/l + X_s/s] p^l.
    """
    if len(shorter) > len(longer):
        shorter, longer = longer, shorter
    s, n = len(shorter), len(longer)
    overlap = [len(set(shorter[:d]) & set(longer[:d])) for d in range(n + 1)]
    total = 0.0
    for d in range(1, n + 1):
        total += overlap[d] / d * p**d
        if d > s:
            total += overlap[s] * (d - s) / (s * d) * p**d
    rest = (overlap[n] - overlap[s]) / n + overlap[s] / s
    return (1 - p) / p * total + rest * p**n


def rbo_ext_of_scores(x: list[float], y: list[float], p: float) -> float:
    """Extrapolated RBO of two orders of the same items, ties as in Webber, Moffat and Zobel (2010).

    The first d of an order with ties hold every item of a tie that starts at rank d or above; the
    agreement at d is A_d = 2 |X n Y| / (|X| + |Y|). (1-p)/p sum_(d=1..n) A_d p^d + A_n p^n.
    """
    n = len(x)
    total = agreement = 0.0
    for d in range(1, n + 1):
        first, second = first_with_ties(x, d), first_with_ties(y, d)
        agreement = 2 * len(first & second) / (len(first) + len(second))
        total += agreement * p**d
    return (1 - p) / p * total + agreement * p**n


def first_with_ties(scores: list[float], d: int) -> set[int]:
    """The items with fewer than d items strictly above them."""
    return {
        item
        for item, score in enumerate(scores)
        if len([other for other in scores if other > score]) < d
    }


def rbo_ext_of_broken_ties(x: list[float], y: list[float], p: float) -> float:
    """The mean extrapolated RBO over all ways to break the ties of both orders.

    RBO^a of Corsi and Urbano (SIGIR 2024), for whom ties are ignorance, not equality.
    """
    values = []
    for first in broken_ties(x):
        for second in broken_ties(y):
            values.append(rbo_ext([str(i) for i in first], [str(i) for i in second], p))
    return math.fsum(values) / len(values)


def broken_ties(scores: list[float]) -> list[list[int]]:
    """All orders of the items, highest score first, that break the ties in some way."""
    ways = itertools.product(*(itertools.permutations(group) for group in tie_groups(scores)))
    return [[item for group in way for item in group] for way in ways]
