"""Scores of deep measures from shallow judgments, after Lu, Moffat and Culpepper (SIGIR 2017).

All functions but the last few treat one topic:

- ``rankings`` holds the contributing runs' rankings of distinct docs, best first, cut to the depth
  that is to be read; ``ranking`` is the one to be scored.
- ``judged`` is a dict doc -> gain in [0, r_max] of judged docs; a doc not in it is unjudged.
- ``pool_depth`` is the d' to which the contributing runs were judged.
- A rank model is a list of gains: that of rank 1, 2, ...

Rank models are fitted in ``rank_models``, weights found in ``two_stage``.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from scipy import stats  # type: ignore[import-untyped, unused-ignore]

Gains = dict[str, float]


class Measure(NamedTuple):
    """A weighted-precision measure: the weight of a rank, and that of all ranks after rank n."""

    weight: Callable[[int], float]
    tail: Callable[[int], float]


def rbp(p: float) -> Measure:
    """W(j) = (1 - p) p^(j-1); p^n after rank n."""
    return Measure(lambda j: (1 - p) * p ** (j - 1), lambda n: p**n)


def sdcg(k: int) -> Measure:
    """W(j) = (1 / log2(j + 1)) / sum of the same over ranks 1..k; 0 beyond k, and no tail.

    No tail: ranks that a short list does not fill hold nothing.
    """
    total = math.fsum(1 / math.log2(i + 1) for i in range(1, k + 1))
    return Measure(lambda j: 1 / math.log2(j + 1) / total if j <= k else 0.0, lambda n: 0.0)


def base(ranking: list[str], judged: Gains, measure: Measure, k: int) -> float:
    """M, Eq. 1: the sum over judged ranks j <= k of W(j) gain."""
    score = 0.0
    for j, doc in enumerate(ranking[:k], start=1):
        if doc in judged:
            score += measure.weight(j) * judged[doc]
    return score


def residual(
    ranking: list[str], judged: Gains, measure: Measure, k: int, r_max: float = 1.0
) -> float:
    """Delta, Eq. 2: r_max (weight of the unjudged ranks <= k + weight beyond k).

    A list shorter than k ends earlier: its tail starts after its last doc.
    """
    weight = measure.tail(min(k, len(ranking)))
    for j, doc in enumerate(ranking[:k], start=1):
        if doc not in judged:
            weight += measure.weight(j)
    return r_max * weight


def with_gains(
    ranking: list[str],
    judged: Gains,
    measure: Measure,
    k: int,
    gain_of: Callable[[int, str], float],
) -> float:
    """Base + sum over unjudged ranks j <= k of W(j) gain_of(j, doc). The tail counts nothing."""
    score = base(ranking, judged, measure, k)
    for j, doc in enumerate(ranking[:k], start=1):
        if doc not in judged:
            score += measure.weight(j) * gain_of(j, doc)
    return score


def lb(ranking: list[str], judged: Gains, measure: Measure, k: int) -> float:
    """Unjudged docs have gain 0: the base."""
    return base(ranking, judged, measure, k)


def ub(ranking: list[str], judged: Gains, measure: Measure, k: int, r_max: float = 1.0) -> float:
    """Unjudged docs that are listed have gain r_max; nothing for the tail."""
    return with_gains(ranking, judged, measure, k, lambda j, doc: r_max)


def midpoint(
    ranking: list[str], judged: Gains, measure: Measure, k: int, r_max: float = 1.0
) -> float:
    """Unjudged docs that are listed have gain r_max / 2: halfway between lb and ub."""
    return with_gains(ranking, judged, measure, k, lambda j, doc: r_max / 2)


def background(judged_of: dict[str, Gains]) -> float:
    """The mean gain of all judged docs of all topics; 0 if there are none."""
    gains = [gain for judged in judged_of.values() for gain in judged.values()]
    return math.fsum(gains) / len(gains) if gains else 0.0


def rm(
    ranking: list[str],
    judged: Gains,
    measure: Measure,
    k: int,
    background_rate: float,
    r_max: float = 1.0,
) -> float:
    """Eq. 4 (Ravana and Moffat 2010): M / (1 - Delta / r_max); background_rate if Delta = r_max.

    The residual is the whole one of Eq. 2, its tail included, so the quotient is the mean gain of
    the judged weight. Where no weight is judged, the collection's rate takes its place.
    """
    judged_weight = 0.0
    for j, doc in enumerate(ranking[:k], start=1):
        if doc in judged:
            judged_weight += measure.weight(j)
    if judged_weight == 0:
        return background_rate
    return base(ranking, judged, measure, k) / (
        1 - residual(ranking, judged, measure, k, r_max) / r_max
    )


def by_rank_model(
    ranking: list[str], judged: Gains, measure: Measure, k: int, model: list[float]
) -> float:
    """The unjudged doc at rank j of this list has the model's gain of rank j."""
    return with_gains(ranking, judged, measure, k, lambda j, doc: model[j - 1])


def by_doc_gains(
    ranking: list[str], judged: Gains, measure: Measure, k: int, gains: Gains, otherwise: float
) -> float:
    """An unjudged doc has the same gain in every list; one without any has ``otherwise``."""
    return with_gains(ranking, judged, measure, k, lambda j, doc: gains.get(doc, otherwise))


def gamma(rankings: list[list[str]], judged: Gains, pool_depth: int) -> float:
    """Eq. 10, the coefficient of variation of Chao and Lee (1992), over the number of runs.

    f_i relevant docs (gain > 0) occur i times in the runs' first d' ranks; R' = sum f_i,
    C = sum i f_i. gamma^2 = max(R' / (1 - f_1 / C) * sum i (i - 1) f_i / (C (C - 1)) - 1, 0).
    0 without relevant docs, and if all of them occur once.
    """
    occurrences = []
    for doc, gain in judged.items():
        count = sum(1 for ranking in rankings if doc in ranking[:pool_depth])
        if gain > 0 and count > 0:
            occurrences.append(count)
    c = sum(occurrences)
    singletons = occurrences.count(1)
    if singletons == c:
        return 0.0
    pairs = sum(i * (i - 1) for i in occurrences)
    squared = len(occurrences) / (1 - singletons / c) * pairs / (c * (c - 1)) - 1
    return math.sqrt(max(squared, 0.0)) / len(rankings)


def needs_estimates(gamma_value: float, theta: float) -> bool:
    """Step 3 of Algorithm 1: a topic is estimated only if gamma > theta, else it keeps lb.

    With theta = 0 every topic is: no threshold is asked for.
    """
    return theta == 0 or gamma_value > theta


def inf_rbp(
    ranking: list[str],
    pooled: Gains,
    sampled: Gains,
    measure: Measure,
    k: int,
    always_smooth: bool = False,
) -> float:
    """Eq. 5: base on the shallow pool + lambda (base on the sample).

    lambda = (weight of the ranks <= k outside the shallow pool) / (weight of those in the sample).
    With x the weighted gain of the sample and n its weight, the second term is that outside weight
    times the rate x / n. Where the list holds no sampled doc the rate is (x + 1e-5) / (n + 3e-5),
    that is 1/3, as in the authors' software, which adds the two constants always.
    """
    score = outside = x = n = 0.0
    for j, doc in enumerate(ranking[:k], start=1):
        weight = measure.weight(j)
        if doc in pooled:
            score += weight * pooled[doc]
        else:
            outside += weight
            if doc in sampled:
                x += weight * sampled[doc]
                n += weight
    if n == 0 or always_smooth:
        return score + outside * (x + 1e-5) / (n + 3e-5)
    return score + outside * x / n


def error(estimate: float, true_base: float, true_residual: float) -> float:
    """Eq. 3: the distance of an estimate from [M, M + Delta] of the deep judgments."""
    if estimate < true_base:
        return true_base - estimate
    if estimate > true_base + true_residual:
        return estimate - (true_base + true_residual)
    return 0.0


def rmse(errors: dict[str, list[float]]) -> float:
    """The mean over topics of the root of the mean square over runs.

    The text says an RMS aggregate over runs and topics; the tables come out only so.
    """
    roots = []
    for of_topic in errors.values():
        roots.append(math.sqrt(math.fsum(e * e for e in of_topic) / len(of_topic)))
    return math.fsum(roots) / len(roots)


def accuracy(errors: dict[str, list[float]], tolerance: float = 1e-9) -> float:
    """Acc%: the share of errors that are zero, in per cent."""
    every = [e for of_topic in errors.values() for e in of_topic]
    return 100 * len([e for e in every if e <= tolerance]) / len(every)


def sign(x: float) -> int:
    """-1, 0 or 1."""
    return (x > 0) - (x < 0)


def kendall_distance(first: list[float], second: list[float]) -> float:
    """Pairs of runs that the two lists of mean scores order against each other, over n (n-1) / 2.

    A pair that is tied in either is not against (Section 5).
    """
    n = len(first)
    against = 0
    for i in range(n):
        for j in range(i + 1, n):
            if sign(first[i] - first[j]) * sign(second[i] - second[j]) < 0:
                against += 1
    return against / (n * (n - 1) / 2)


def paired_t(x: list[float], y: list[float]) -> float:
    """p of the one-tailed paired t-test of mean(x) > mean(y).

    t = mean / (s / sqrt(n)) with n - 1 degrees of freedom. If all differences are equal, s = 0: the
    p is 0, 1/2 or 1 as they are above, at or below 0.
    """
    differences = [a - b for a, b in zip(x, y, strict=True)]
    n = len(differences)
    mean = math.fsum(differences) / n
    if all(d == differences[0] for d in differences):
        return 0.5 - 0.5 * sign(differences[0])
    s = math.sqrt(math.fsum((d - mean) ** 2 for d in differences) / (n - 1))
    return float(stats.t.sf(mean / (s / math.sqrt(n)), n - 1))


def sigma(x: list[float], y: list[float]) -> float:
    """Section 5: 1/2 - p(x > y) if x has the higher mean, p(y > x) - 1/2 if y has, 0 if neither."""
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    if x == y or mean_x == mean_y:
        return 0.0
    if mean_x > mean_y:
        return 0.5 - paired_t(x, y)
    return paired_t(y, x) - 0.5


def dist(first: list[list[float]], second: list[list[float]], weighted: bool = False) -> float:
    """Eq. 11: the sum over pairs of runs of alpha |sigma' - sigma|; alpha is 1 or |sigma|.

    ``first[i]`` holds run i's score on every topic by the first way of measuring.
    """
    n = len(first)
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            of_first, of_second = sigma(first[i], first[j]), sigma(second[i], second[j])
            total += (abs(of_first) if weighted else 1.0) * abs(of_second - of_first)
    return total


def discrimination_ratio(scores: list[list[float]], level: float = 0.05) -> float:
    """The share of pairs of runs with p < level in the two-tailed paired t-test."""
    n = len(scores)
    found = 0
    for i in range(n):
        for j in range(i + 1, n):
            p = paired_t(scores[i], scores[j])
            if 2 * min(p, 1 - p) < level:
                found += 1
    return found / (n * (n - 1) / 2)
