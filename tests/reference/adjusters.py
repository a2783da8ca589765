"""Corrections of the scores of runs that were not pooled, by literally taking judgments away.

Shared conventions:

- A run is a dict topic -> ranking of distinct docs, best first; ``pooled`` is a dict of such runs
  by name. A topic that a run lacks has an empty ranking.
- ``qrels`` is a dict topic -> doc -> grade; a doc that is not in it is unjudged.
- ``score(ranking, judged)`` is a measure's value on one topic. It must be defined (not NaN) on
  every topic in ``topics``; a score of a run is the plain mean over ``topics``.
- ``condensed``: unjudged docs are removed from a ranking before it is scored; later ones move up,
  also from beyond a measure's cut-off. Otherwise they stay and have no gain.
- A run pools its first ``depth`` docs of each topic. A doc is pooled only by run s when s pools
  it and no other pooled run does.
"""

import itertools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

from . import measures

Run = dict[str, list[str]]
Qrels = dict[str, dict[str, int]]
Score = Callable[[list[str], dict[str, int]], float]


def mean(values: Iterable[float]) -> float:
    """Sum over number; NaN of nothing."""
    held = list(values)
    return math.fsum(held) / len(held) if held else math.nan


def topic_score(run: Run, topic: str, qrels: Qrels, score: Score, condensed: bool = False) -> float:
    """The score of a run on one topic."""
    judged = qrels.get(topic, {})
    ranking = run.get(topic, [])
    if condensed:
        ranking = measures.condensed(ranking, judged)
    return score(ranking, judged)


def mean_score(
    run: Run, topics: list[str], qrels: Qrels, score: Score, condensed: bool = False
) -> float:
    """The mean over topics of a run's score."""
    return mean(topic_score(run, topic, qrels, score, condensed) for topic in topics)


def pooled_docs(runs: Iterable[Run], topic: str, depth: int) -> set[str]:
    """The union of the runs' first ``depth`` docs of one topic."""
    docs: set[str] = set()
    for run in runs:
        docs |= set(run.get(topic, [])[:depth])
    return docs


def without_unique(qrels: Qrels, run: Run, others: Iterable[Run], depth: int) -> Qrels:
    """The judgments without the docs that run pools and none of the others does.

    Docs that were judged although neither run nor the others pool them stay judged.
    """
    rest = list(others)
    left = {}
    for topic, judged in qrels.items():
        only = pooled_docs([run], topic, depth) - pooled_docs(rest, topic, depth)
        left[topic] = {doc: grade for doc, grade in judged.items() if doc not in only}
    return left


class Adjustment(NamedTuple):
    """A new run's mean score as it is, what to add to it, and the sum."""

    unadjusted: float
    adjustment: float
    adjusted: float


def systems(
    pooled: dict[str, Run],
    new: Run,
    qrels: Qrels,
    depth: int,
    topics: list[str],
    score: Score,
    condensed: bool = False,
) -> Adjustment:
    """Algorithm 1 of Webber and Park (2009): the adjustment inferred from the pooled runs.

    For each pooled run s, beta_s = (mean score of s on Q) - (mean score of s on Q'), where Q'
    lacks what only s pooled; the new run takes s's place in the pool, so a doc that it has within
    ``depth`` stays judged. a = mean over s of beta_s; adjusted = (mean score of new on Q) + a.

    The paper adds the docs that the new run returns to Q'; those outside Q have no judgment that
    could be added.
    """
    betas = []
    for name, run in pooled.items():
        others = [other for other_name, other in pooled.items() if other_name != name]
        withdrawn = without_unique(qrels, run, [*others, new], depth)
        pooled_score = mean_score(run, topics, qrels, score, condensed)
        unpooled_score = mean_score(run, topics, withdrawn, score, condensed)
        betas.append(pooled_score - unpooled_score)
    unadjusted = mean_score(new, topics, qrels, score, condensed)
    adjustment = mean(betas)
    return Adjustment(unadjusted, adjustment, unadjusted + adjustment)


def webber_runs(
    pooled: dict[str, Run],
    new: Run,
    qrels: Qrels,
    depth: int,
    topics: list[str],
    score: Score,
    condensed: bool = False,
) -> Adjustment:
    """Eq. 2 of Lipani, Lupu and Hanbury (2016): as ``systems``, but nobody takes s's place.

    mean over pooled runs r_p of [g(r_p, Q) - g(r_p, Q without what only r_p pooled)]. The equation
    prints r_s, the new run, inside the brackets; the derivation below it uses r_p. Not clipped.
    """
    betas = []
    for name, run in pooled.items():
        others = [other for other_name, other in pooled.items() if other_name != name]
        withdrawn = without_unique(qrels, run, others, depth)
        pooled_score = mean_score(run, topics, qrels, score, condensed)
        unpooled_score = mean_score(run, topics, withdrawn, score, condensed)
        betas.append(pooled_score - unpooled_score)
    unadjusted = mean_score(new, topics, qrels, score, condensed)
    adjustment = mean(betas)
    return Adjustment(unadjusted, adjustment, unadjusted + adjustment)


class TopicsAdjustment(NamedTuple):
    """What Algorithm 2 of Webber and Park (2009) and the analysis after it tell of one run."""

    beta: dict[str, float]
    """common topic -> true - cheap score"""
    unadjusted: float
    """mean cheap score over all N topics"""
    adjustment: float
    """a, Eq. 1"""
    adjusted: float
    """Eq. 2"""
    mixed: float
    """true scores of the n common topics, cheap ones of the others, over N"""
    variance: float
    """s_a^2, Eq. 7; NaN if n = 1"""
    standard_error: float
    """of the adjusted score: sqrt((N - n) / N * s_a^2 / n), Eq. 3"""
    sample_mean: float
    """mean true score of the n common topics"""
    sample_standard_error: float
    """of the sample mean: sqrt((N - n) / N * s_t^2 / n), Eq. 5"""
    beats_unadjusted: bool
    """Eq. 6: standard error < |a|, so 68% sure that adjusting is better than not adjusting"""
    beats_sample_mean: bool
    """Eq. 3 < Eq. 5: s_a^2 < s_t^2"""


def from_topics(labels: dict[str, float], true: dict[str, float]) -> TopicsAdjustment:
    """Algorithm 2 for any cheap score of all N topics and the true score of n of them.

    Eq. 7: s_a^2 = sum over common topics of (t_i - (u_i + a))^2 / (n - 1). s_t^2 is the sample
    variance of the true scores over the same n topics, which stands for the sigma_t^2 of Eq. 5 as
    s_a^2 does for sigma_a^2. The text's '(N - n) / n' in front of the variance is a slip for
    (N - n) / N, as in Eqs. 3 and 5.
    """
    n_all, n = len(labels), len(true)
    beta = {topic: true[topic] - labels[topic] for topic in true}
    a = mean(beta.values())
    unadjusted = mean(labels.values())
    adjusted = mean(u + a for u in labels.values())
    mixed = mean(true.get(topic, u) for topic, u in labels.items())
    sample_mean = mean(true.values())
    variance = sample_variance = math.nan
    if n > 1:
        variance = math.fsum((true[t] - (labels[t] + a)) ** 2 for t in true) / (n - 1)
        sample_variance = math.fsum((t - sample_mean) ** 2 for t in true.values()) / (n - 1)
    standard_error = math.sqrt((n_all - n) / n_all * variance / n)
    return TopicsAdjustment(
        beta,
        unadjusted,
        a,
        adjusted,
        mixed,
        variance,
        standard_error,
        sample_mean,
        math.sqrt((n_all - n) / n_all * sample_variance / n),
        standard_error < abs(a),
        variance < sample_variance,
    )


def tuned_topics(
    labels: list[dict[str, float]], true: list[dict[str, float]]
) -> list[tuple[float, float]]:
    """Adjusted score and standard error of each run, cheap scores counted by one slope for all.

    slope = cov(true, cheap) / var(cheap) over the n common topics, the sums over all runs, with 8
    imaginary topics on which it is 1; 1 if n < 4 or the cheap scores do not vary.
    adjusted = slope * mean over all of cheap + mean over common of (true - slope * cheap).
    """
    common = list(true[0])
    n = len(common)
    together = apart = 0.0
    for u, t in zip(labels, true, strict=True):
        mean_u, mean_t = mean(u[topic] for topic in common), mean(t.values())
        together += math.fsum((u[topic] - mean_u) * (t[topic] - mean_t) for topic in common)
        apart += math.fsum((u[topic] - mean_u) ** 2 for topic in common)
    slope = 1.0
    if n >= 4 and apart > 0:
        slope = (n * (together / apart) + 8 * 1) / (n + 8)
    adjusted = []
    for u, t in zip(labels, true, strict=True):
        left = [t[topic] - slope * u[topic] for topic in common]
        value = slope * mean(u.values()) + mean(left)
        error = math.nan
        if n > 1:
            variance = math.fsum((each - mean(left)) ** 2 for each in left) / (n - 1)
            error = math.sqrt((len(u) - n) / len(u) * variance / n)
        adjusted.append((value, error))
    return adjusted


def topics(
    pooled: dict[str, Run],
    new: Run,
    qrels: Qrels,
    depth: int,
    all_topics: list[str],
    common: list[str],
    score: Score,
    condensed: bool = False,
) -> TopicsAdjustment:
    """Algorithm 2 of Webber and Park (2009): the adjustment inferred from common topics.

    On the common topics the new run was judged too: the true score is that on all of ``qrels``.
    The cheap score is that on the judgments of docs that some pooled run has above the depth, on
    every topic, so that it means the same on all of them.
    """
    pool = {t: pooled_docs(pooled.values(), t, depth) for t in qrels}
    inside = {t: {d: g for d, g in qrels[t].items() if d in pool[t]} for t in qrels}
    labels = {t: topic_score(new, t, inside, score, condensed) for t in all_topics}
    true = {t: topic_score(new, t, qrels, score, condensed) for t in common}
    return from_topics(labels, true)


def two_qrels(
    new: Run,
    cheap_qrels: Qrels,
    trusted_qrels: Qrels,
    all_topics: list[str],
    common: list[str],
    score: Score,
    condensed: bool = False,
) -> TopicsAdjustment:
    """Algorithm 2 with cheap judgments on all topics, reference ones on the common topics."""
    labels = {t: topic_score(new, t, cheap_qrels, score, condensed) for t in all_topics}
    true = {t: topic_score(new, t, trusted_qrels, score, condensed) for t in common}
    return from_topics(labels, true)


def bootstrap_adjustments(beta: list[float]) -> list[float]:
    """The adjustment a of every one of the n^n equally likely resamples of the common topics.

    Sorted. For n of up to 6 or so; a random bootstrap draws from this list.
    """
    return sorted(mean(draw) for draw in itertools.product(beta, repeat=len(beta)))


def lipani_merged(
    ranking: list[str], other: list[str], merge: Literal["average", "replace"]
) -> list[str]:
    """A pooled run's own docs, re-ordered by a tested run: r_p' of Lipani et al. (2016).

    A doc that both return gets a new rank: the mean of its two ranks ("average", the paper), or
    that in ``other`` ("replace", the authors' software). The rest keep theirs; docs that only
    ``other`` returns do not enter. Docs with one new rank stay in their old order.
    """
    other_ranks = {doc: rank for rank, doc in enumerate(other, start=1)}
    keys = []
    for rank, doc in enumerate(ranking, start=1):
        new_rank = float(rank)
        if doc in other_ranks:
            other_rank = other_ranks[doc]
            new_rank = (rank + other_rank) / 2 if merge == "average" else float(other_rank)
        keys.append((new_rank, rank, doc))
    return [doc for _, _, doc in sorted(keys)]


class Ratios(NamedTuple):
    """Shares of the first n ranks, means over topics; exact, since a sign will depend on them."""

    relevant: Fraction
    nonrelevant: Fraction
    unjudged: Fraction


def ratios(run: Run, topics: list[str], qrels: Qrels, n: int, rel: int = 1) -> Ratios:
    """P, A and K: relevant, judged non-relevant and unjudged docs in the first n, each over n.

    Ranks past the end of a short list count in none of the three.
    """
    n_relevant = n_nonrelevant = n_unjudged = 0
    for topic in topics:
        judged = qrels.get(topic, {})
        for doc in run.get(topic, [])[:n]:
            if doc not in judged:
                n_unjudged += 1
            elif judged[doc] >= rel:
                n_relevant += 1
            else:
                n_nonrelevant += 1
    ranks = n * len(topics)
    return Ratios(
        Fraction(n_relevant, ranks), Fraction(n_nonrelevant, ranks), Fraction(n_unjudged, ranks)
    )


def lipani(
    pooled: dict[str, Run],
    new: Run,
    qrels: Qrels,
    n: int,
    topics: list[str],
    merge: Literal["average", "replace"],
    rel: int = 1,
) -> Adjustment:
    """Lipani's corrector of P@n (Lipani et al. 2015; as restated in Section 3.2 of the 2016 paper).

    P, A, K are the new run's ratios; dP, dA, dK the means over pooled runs of (ratio of the
    re-ordered run - ratio of the run). If K (dP A - dA P) > 0, K max(dK, 0) is added to P.
    """
    d_p = d_a = d_k = Fraction(0)
    for run in pooled.values():
        merged = {}
        for topic in topics:
            merged[topic] = lipani_merged(run.get(topic, []), new.get(topic, []), merge)
        before = ratios(run, topics, qrels, n, rel)
        after = ratios(merged, topics, qrels, n, rel)
        d_p += (after.relevant - before.relevant) / len(pooled)
        d_a += (after.nonrelevant - before.nonrelevant) / len(pooled)
        d_k += (after.unjudged - before.unjudged) / len(pooled)
    p, a, k = ratios(new, topics, qrels, n, rel)
    triggered = k * (d_p * a - d_a * p) > 0
    adjustment = k * max(d_k, Fraction(0)) if triggered else Fraction(0)
    return Adjustment(float(p), float(adjustment), float(p + adjustment))
