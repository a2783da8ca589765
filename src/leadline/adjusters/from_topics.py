"""Bias seen on common topics, on which a run is fully judged, or judged by those one trusts."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from leadline.adjusters.adjusted import Adjusted, inside_certain, unjudged_doubts, unjudged_share
from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.files.problems import Progress
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.scores import mean_over_topics

Kind = Literal["padded", "t", "normal", "bootstrap"]
Tune = Literal["trusted", "always", "never"]
RESAMPLES = 2000
LEVEL = 0.95
FEW_TOPICS = 10

LEAST_TUNED = 4
"""From fewer common topics the slope is not learnt."""

PSEUDO_TOPICS = 8
"""So many imaginary common topics on which the slope is 1."""


@adjusters.register
@dataclass(frozen=True)
class Topics(Adjuster):
    """What a run is short of on the common topics, added on all topics, with its error.

    Formula: adjusted = l * mean over all N topics of u_i + mean over n common of (t_i - l * u_i)

    u_i is the score by the cheap judgments, which all topics have: those of a pool that the run had
    no part in, and nothing outside it, or of a language model, or clicks. t_i is the score by the
    trusted ones, which only the common topics have. The standard error is
    sqrt((N - n)/N * s^2/n), s^2 the variance of t_i - l u_i over the common topics; the text's
    (N - n)/n is a slip. The common topics must be a random sample of all. l is 1, but where trusted
    judgments meet cheap ones it is cov(t, u) / var(u) over the common topics, of all runs together,
    drawn towards 1 by eight imaginary topics, and 1 below four common ones; `tune` says where else.
    `interval` is t (Student's), normal, bootstrap (of the common topics, scaled for the share of
    all that they are), or padded, the default: t with the squares of two imaginary topics added,
    which are short of all that the unjudged ranks of the other topics weigh, one each way. Without
    these, a run that is short of nothing on most topics and of much on few has far too narrow an
    interval whenever none of the few is common.

    Webber and Park, Score adjustment for correction of pooling bias, SIGIR 2009, Algorithm 2.
    """

    interval: Kind = "padded"
    tune: Tune = "trusted"
    takes_trusted = True

    def check(self, evidence: PoolBias) -> None:
        """It learns from common topics alone."""
        if evidence.common is None or not evidence.common.any():
            raise ValueError(
                "Topics learns from topics that are judged in full: "
                "name them with `common`, in a file one on each line"
            )

    def amounts(self, evidence: PoolBias) -> Floats:
        """Mean of what the runs are short of on the common topics."""
        return self.seen(evidence).adjustment

    def seen(self, evidence: PoolBias) -> "FromTopics":
        """What the common topics tell."""
        cheap, true, n_all = both_scores(evidence)
        return from_topics(cheap, true, n_all, self.slope(cheap, true, evidence))

    def slope(self, cheap: Floats, true: Floats, evidence: PoolBias) -> float:
        """The l of the formula."""
        tuned = evidence.trusted is not None if self.tune == "trusted" else self.tune == "always"
        return tuned_slope(cheap[:, : true.shape[1]], true) if tuned else 1.0

    def corrected(
        self, evidence: PoolBias, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Mean scores over all topics; the error is that of drawing the common ones."""
        cheap, true, n_all = both_scores(evidence)
        slope = self.slope(cheap, true, evidence)
        seen, share = from_topics(cheap, true, n_all, slope), unjudged_share(evidence)
        n = true.shape[1]
        beta = true - slope * cheap[:, :n]
        below, above = reach(self.interval, beta, n_all, random, open_weight(evidence))
        doubts = []
        for run in range(len(cheap)):
            reasons = [] if evidence.trusted is not None else unjudged_doubts(share[run])
            if n < FEW_TOPICS:
                reasons.append(f"only {n} common topics")
            if seen.adjustment[run] and not seen.standard_error[run] < abs(seen.adjustment[run]):
                reasons.append("the correction is smaller than its standard error (Eq. 6)")
            if seen.variance[run] > seen.sample_variance[run]:
                reasons.append("the plain mean of the common topics varies less (Eqs. 3, 5)")
            doubts.append(tuple(reasons))
        low, high = seen.adjusted - below, seen.adjusted + above
        lower = upper = np.full(len(low), np.nan)
        if evidence.measure.bounded and not evidence.measure.judged_only:
            known = evidence.judgments
            if evidence.trusted is not None:
                # Cheap judgments may be wrong anywhere, so nothing is certain of any document.
                known = known.only(np.zeros(len(known.pairs), np.bool_))
            certain = evidence.measure.score(evidence.new_lists(known))
            lower, upper = certain.mean_lower(), certain.mean_upper()
            low, high = inside_certain(low, high, certain)
        return Adjusted(
            evidence.new_names,
            str(evidence.measure),
            str(self),
            seen.unadjusted,
            seen.adjustment,
            seen.standard_error,
            lower,
            upper,
            low,
            high,
            share,
            tuple(doubts),
            tuple(self.explain(evidence)),
        )

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the topics."""
        cheap, true, n_all = both_scores(evidence)
        slope = self.slope(cheap, true, evidence)
        seen = from_topics(cheap, true, n_all, slope)
        better = int((seen.standard_error < np.abs(seen.adjustment)).sum())
        tighter = int((seen.variance < seen.sample_variance).sum())
        n = true.shape[1]
        tuned = [] if slope == 1 else [f"cheap scores count {slope:.2f}, as learnt from these"]
        ignored = _n_ignored(evidence)
        outside = f"{ignored:,} judgments outside the pool are ignored, except on common topics"
        return [
            f"Topics: assumes that the {n} common topics are a random sample of all {n_all}",
            *([outside] if ignored else []),
            *tuned,
            f"of {len(cheap)} runs, adjusting is likely to beat leaving the score as it is for "
            f"{better} (Eq. 6), and the plain mean of the common topics for {tighter} (Eqs. 3, 5)",
        ]


def both_scores(evidence: PoolBias) -> tuple[Floats, Floats, int]:
    """Cheap scores [new, topics that count], trusted ones [new, common], the number of the former.

    The common topics come first among all; a topic on which a score is undefined does not count.
    """
    assert evidence.common is not None
    trusted = evidence.judgments if evidence.trusted is None else evidence.trusted
    cheap = evidence.measure.score(evidence.new_lists(_cheap_judgments(evidence))).value
    true = evidence.measure.score(evidence.new_lists(trusted)).value
    counted = ~np.isnan(cheap).any(axis=0)
    known = evidence.common & counted & ~np.isnan(true).any(axis=0)
    order = np.concatenate([np.flatnonzero(known), np.flatnonzero(counted & ~known)])
    if not known.any():
        raise ValueError("on none of the common topics is the measure defined by both judgments")
    return cheap[:, order], true[:, known], len(order)


def _cheap_judgments(evidence: PoolBias) -> Judgments:
    """Return the cheap judgments of all topics: without trusted ones, those inside the pool.

    Outside the pool of the other runs, common topics have more judgments than the others, and a
    score by them would not mean the same on both.
    """
    if evidence.trusted is not None:
        return evidence.judgments
    return evidence.judgments.only(evidence.drawn.member(evidence.best_ranks.best))


def _n_ignored(evidence: PoolBias) -> int:
    """Return the number of judgments of topics that are not common that count nowhere."""
    assert evidence.common is not None
    ignored = evidence.judgments.judged & ~_cheap_judgments(evidence).judged
    return int((ignored & ~evidence.common[evidence.judgments.pairs.topic]).sum())


@dataclass(frozen=True, eq=False)
class FromTopics:
    """What the common topics tell, one number a run (or a draw of common topics).

    `adjustment` is a of Eq. 1, `variance` s_a^2 of Eq. 7, `sample_mean` and `sample_variance` those
    of the trusted scores alone, `mixed` the trusted scores on the common topics with the cheap ones
    on the others.
    """

    unadjusted: Floats
    adjustment: Floats
    variance: Floats
    standard_error: Floats
    mixed: Floats
    sample_mean: Floats
    sample_variance: Floats
    sample_standard_error: Floats

    @property
    def adjusted(self) -> Floats:
        """Eq. 2."""
        total: Floats = self.unadjusted + self.adjustment
        return total


def tuned_slope(cheap: Floats, true: Floats) -> float:
    """cov(t, u) / var(u) on the common topics [runs, topics], drawn towards 1.

    Sums over all runs: a slope for each run alone, from few topics, has more error than 1 has.

    >>> tuned_slope(np.array([[0.0, 0.2, 0.4, 0.6]]), np.array([[0.0, 0.1, 0.2, 0.3]]))
    0.8333333333333334
    """
    n = true.shape[1]
    away = cheap - cheap.mean(axis=1, keepdims=True)
    square = float((away**2).sum())
    if n < LEAST_TUNED or not square:
        return 1.0
    slope = float((away * true).sum()) / square
    return float(1 + (slope - 1) * n / (n + PSEUDO_TOPICS))


def from_topics(cheap: Floats, true: Floats, n_all: int, slope: float = 1.0) -> FromTopics:
    """Algorithm 2 for cheap scores [runs, topics], common ones first, and true ones of those.

    With a `slope` other than 1, cheap scores count so much of themselves.
    """
    n = true.shape[1]
    beta = true - slope * cheap[:, :n]
    left = (n_all - n) / n_all
    variance = beta.var(axis=1, ddof=1) if n > 1 else np.full(len(cheap), np.nan)
    of_sample = true.var(axis=1, ddof=1) if n > 1 else np.full(len(cheap), np.nan)
    total = cheap.sum(axis=1)
    mixed = total + (true - cheap[:, :n]).sum(axis=1)
    return FromTopics(
        total / n_all,
        beta.mean(axis=1) + (slope - 1) * total / n_all,
        variance,
        np.sqrt(left * variance / n),
        mixed / n_all,
        true.mean(axis=1),
        of_sample,
        np.sqrt(left * of_sample / n),
    )


def open_weight(evidence: PoolBias) -> Floats:
    """What the unjudged ranks of the topics that are not common weigh on average, by run.

    0 with trusted judgments, which may contradict the cheap ones at any rank, and for measures
    without an interval.
    """
    assert evidence.common is not None
    if evidence.trusted is not None or evidence.common.all():
        return np.zeros(len(evidence.new_names))
    measure = evidence.measure
    if measure.judged_only:
        measure = replace(measure, judged_only=False)  # type: ignore[type-var]
    scores = measure.score(evidence.but(measure=measure).new_lists(_cheap_judgments(evidence)))
    return np.nan_to_num(mean_over_topics(scores.residual[:, ~evidence.common]))


def reach(
    kind: Kind,
    beta: Floats,
    n_all: int,
    random: np.random.Generator,
    open_: Floats | None = None,
) -> tuple[Floats, Floats]:
    """How far below and above the adjustment [runs] the interval goes; NaN from one topic."""
    from scipy import stats

    n = beta.shape[1]
    if n < 2:
        nothing = np.full(len(beta), np.nan)
        return nothing, nothing
    tail = (1 + LEVEL) / 2
    if kind == "bootstrap":
        drawn = random.integers(n, size=(RESAMPLES, n))
        count = np.zeros((RESAMPLES, n))
        np.add.at(count, (np.arange(RESAMPLES)[:, None], drawn), 1.0)
        # Of all topics (N - n)/N are open, and a resample of n varies by (n - 1)/n too little.
        spread = np.sqrt((n_all - n) / n_all * n / (n - 1))
        means = beta @ (count.T / n) - beta.mean(axis=1, keepdims=True)
        low, high = np.quantile(means, [1 - tail, tail], axis=1)
        return -low * spread, high * spread
    factor = stats.norm.ppf(tail) if kind == "normal" else stats.t.ppf(tail, n - 1)
    variance = beta.var(axis=1, ddof=1)
    if kind == "padded" and open_ is not None:
        variance = np.maximum(variance, padded(variance, n, open_))
    error = np.sqrt((n_all - n) / n_all * variance / n)
    return factor * error, factor * error


def padded(variance: Floats, n: int, open_: Floats) -> Floats:
    """The variance of n topics with two more, as far off as the open ranks weigh."""
    squares: Floats = variance * (n - 1) + 2 * open_**2
    return squares / (n + 1)


def topics_to_halve(variance: Floats, n: int, n_all: int) -> Floats:
    """How many more common topics would halve the standard error, if their variance stays.

    From (N - m)/(N m) = (N - n)/(4 N n): m = 4 N n / (N + 3 n).

    >>> topics_to_halve(np.array([1.0]), 10, 50).tolist()
    [15.0]
    """
    wanted = np.ceil(4 * n_all * n / (n_all + 3 * n) - 1e-9)
    return np.where(variance > 0, np.minimum(wanted, n_all) - n, 0.0)


def common_mask(topics: tuple[str, ...], common: list[str]) -> Bools:
    """Which topics are common."""
    wanted = set(common)
    return np.array([topic in wanted for topic in topics], np.bool_)
