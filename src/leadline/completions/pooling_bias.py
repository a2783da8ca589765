"""Pooling bias from pooled runs, from common topics, and by anti-precision."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from leadline.completions.adjuster import (
    Adjusted,
    Adjuster,
    UnpooledRuns,
    adjusters,
    inside_certain,
    unjudged_doubts,
    unjudged_share,
    without_interval,
)
from leadline.data.arrays import Bools, Floats, Int16s, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import UNRANKED, Runs
from leadline.data.scores import mean_over_topics
from leadline.io.problems import Progress
from leadline.measures.measure import Weighted
from leadline.measures.precision import P


@adjusters.register
@dataclass(frozen=True)
class WebberSystems(Adjuster):
    """Adds the mean loss of the pooled runs when each is replaced in the pool by the new run.

    Formula: adjusted = u_r + mean over pooled s of (p_s - u_s)

    p_s is the mean score of s, u_s its mean score without the judgments of documents that only s
    brought to the pool; a document that the new run r also has above the pool's depth stays judged.
    r only retains such documents: what r alone returns is unjudged with or without s, and condensed
    lists leave it out. Unjudged documents are treated as the measure does, on raw or on condensed
    lists. It supposes that the new run is a run like the others: one that finds documents of a new
    kind is corrected by far too little.

    Webber and Park, Score adjustment for correction of pooling bias, SIGIR 2009, Algorithm 1.
    """

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """The mean loss of the pooled runs, for each new run that takes their place."""
        if isinstance(evidence.measure, Weighted) and not evidence.measure.judged_only:
            return mean_losses(evidence)
        ranks = evidence.new_ranks()
        return np.array([losses(evidence, rank).mean() for rank in ranks], np.float64)

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Of the losses without anybody in their place."""
        return [
            "WebberSystems: assumes that a new run loses by not being pooled what the pooled "
            "runs would "
            "lose, had it been pooled in their place",
            spread(losses(evidence)),
        ]


@adjusters.register
@dataclass(frozen=True)
class WebberLeaveOneOut(Adjuster):
    """Adds the mean loss of the pooled runs when each is left out of the pool.

    Formula: adjusted = u_r + mean over pooled s of (g(s, Q) - g(s, Q without s))

    As WebberSystems, but nobody takes the place of the run that is withdrawn, so the correction is
    the same for all new runs and a little larger. Nothing is clipped: a score may exceed 1.

    Lipani, Lupu and Hanbury, The curious incidence of bias corrections in the pool, ECIR 2016,
    Eq. 2, which prints the new run where the withdrawn one is meant.
    """

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """The mean loss of the pooled runs, the same for every new run."""
        return np.full(len(evidence.new_names), losses(evidence).mean())

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Of the losses."""
        return [
            "WebberLeaveOneOut: assumes that a new run loses by not being pooled what the pooled "
            "runs "
            "lose when they are withdrawn",
            spread(losses(evidence)),
        ]


@adjusters.register
@dataclass(frozen=True)
class InclusionWeighted(Adjuster):
    """WebberLeaveOneOut for sampled pools: gains weigh 1 / their inclusion probability.

    Formula: adjusted = h(r) + mean over pooled s of (h(s, Q) - h(s, Q without s))

    h is the score in which a judged document of inclusion probability pi gains 1 / pi times its
    gain: unbiased for the score by the whole pool from which was sampled. Where s is withdrawn, a
    document that falls to another stratum weighs by that stratum's rate, if it is still drawn. From
    a depth pool the same as WebberLeaveOneOut. For sums of weights and gains (RBP, P@k, DCG, SDCG);
    no interval, because the sample's own error is not among those of runs left out.

    Horvitz and Thompson, A generalization of sampling without replacement from a finite universe,
    JASA 1952.
    """

    def check(self, evidence: UnpooledRuns) -> None:
        """It weighs gains, so scores must be sums of them."""
        if evidence.weighted.judged_only:
            raise ValueError(f"{self} weighs judged gains by rank, and {evidence.measure} has none")

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """What the weights add, and what the pooled runs lose on average when withdrawn."""
        return self._weighted(evidence) + self._lost(evidence)

    def _gain(self, evidence: UnpooledRuns, chance: Floats) -> Floats:
        """The gain of every judged pair over its probability; 1 where it was judged anyway."""
        chance = np.where(chance > 0, chance, 1.0)
        gain: Floats = np.where(evidence.judgments.judged, evidence.known_gain / chance, 0.0)
        return gain

    def _weighted(self, evidence: UnpooledRuns) -> Floats:
        """How much higher the new runs score by weighted gains."""
        runs = evidence.new_runs(evidence.evaluation_depth)
        chance = evidence.drawn.chance(evidence.best_ranks.best)
        more = self._gain(evidence, chance) - np.where(
            evidence.judgments.judged, evidence.known_gain, 0.0
        )
        weight = evidence.weighted.weights(int(runs.length.max(initial=1)))
        sums = np.bincount(
            runs.entries.run, weight[runs.entries.rank - 1] * more[runs.pair], len(runs.names)
        )
        return sums / evidence.n_topics

    def _lost(self, evidence: UnpooledRuns) -> float:
        """The mean loss of the pooled runs: only pairs that a run alone ranks best change."""
        ranks, drawn = evidence.best_ranks, evidence.drawn
        runs = evidence.pooled_runs.top(evidence.measure.depth or evidence.pooled_runs.deepest)
        inside = drawn.chance(ranks.best)[runs.pair] > 0
        held = np.flatnonzero((ranks.holder[runs.pair] == runs.entries.run) & inside)
        pair = runs.pair[held]
        before = self._gain(evidence, drawn.chance(ranks.best))[pair]
        after = self._gain(evidence, drawn.chance(ranks.second))[pair]
        after = np.where(drawn.member(ranks.second[pair], pair), after, 0.0)
        weight = evidence.weighted.weights(int(runs.length.max(initial=1)))
        lost = float((weight[runs.entries.rank[held] - 1] * (before - after)).sum())
        return lost / len(evidence.pooled_runs) / evidence.n_topics

    def corrected(
        self, evidence: UnpooledRuns, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Mean scores without an interval."""
        return without_interval(self, evidence)

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Of the weights and of the losses."""
        rates = ", ".join(f"{rate:g}" for _, rate in evidence.drawn.strategy.layers)
        return [
            "InclusionWeighted: assumes that a new run loses by not being pooled what the pooled "
            "runs lose when they are withdrawn; judged gains weigh 1 / their inclusion probability",
            f"strata were sampled at {rates}; weights add "
            f"{self._weighted(evidence).mean():.4f} on average, withdrawn runs lose "
            f"{self._lost(evidence):.4f}",
        ]


def losses(evidence: UnpooledRuns, replaced_by: Int32s | None = None) -> Floats:
    """What each pooled run's mean score loses when it is withdrawn."""
    alone = evidence.measure.score(evidence.withdrawn(replaced_by)).value
    return np.nan_to_num(mean_over_topics(evidence.pooled - alone))


def mean_losses(evidence: UnpooledRuns) -> Floats:
    """The mean of `losses` for each new run, of a weighted measure: sums need no scores again.

    A pair that one run alone brought to the pool is worth to it what its best rank weighs, and is
    lost with the run unless the new one would have brought it too.
    """
    ranks, drawn = evidence.best_ranks, evidence.drawn
    depth = min(drawn.depth, evidence.measure.depth or drawn.depth)
    weight = np.append(evidence.weighted.weights(depth), 0.0)
    worth = np.zeros(len(evidence.alone))
    pair = np.flatnonzero(evidence.alone)
    worth[pair] = weight[np.minimum(ranks.best[pair] - 1, depth)] * evidence.known_gain[pair]
    top = evidence.new_runs(drawn.depth)
    brought = drawn.member(np.minimum(ranks.second[top.pair], top.entries.rank), top.pair)
    kept = np.bincount(top.entries.run, worth[top.pair] * brought, len(top.names))
    lost: Floats = (worth.sum() - kept) / (len(evidence.pooled_runs) * evidence.n_topics)
    return lost


def spread(lost: Floats) -> str:
    """Least, mean and most of the losses, in words."""
    return (
        f"withdrawn in turn, {len(lost)} pooled runs lose {lost.mean():.4f} on average "
        f"({lost.min():.4f} to {lost.max():.4f})"
    )


Kind = Literal["padded", "t", "normal", "bootstrap"]
Tune = Literal["reference", "always", "never"]
RESAMPLES = 2000
LEVEL = 0.95
FEW_TOPICS = 10

LEAST_TUNED = 4
"""From fewer common topics the slope is not learnt."""

PSEUDO_TOPICS = 8
"""So many imaginary common topics on which the slope is 1."""


@adjusters.register
@dataclass(frozen=True)
class WebberTopics(Adjuster):
    """Adds the mean deficit on common topics to all topics, with its standard error.

    Formula: adjusted = l * mean over all N topics of u_i + mean over n common of (t_i - l * u_i)

    u_i is the score by the cheap judgments, which all topics have: those of a pool that the run had
    no part in, and nothing outside it, or of a language model, or clicks. t_i is the score by the
    reference ones, which only the common topics have. The standard error is
    sqrt((N - n)/N * s^2/n), s^2 the variance of t_i - l u_i over the common topics. The common
    topics must be a random sample of all. l is 1, but where reference judgments meet cheap ones it
    is cov(t, u) / var(u) over the common topics, of all runs together, drawn towards 1 by eight
    imaginary topics, and 1 below four common ones; `tune` says where else. `interval` is t
    (Student's), normal, bootstrap (of the common topics, scaled for the share of all that they
    are), or padded, the default: t with the squares of two imaginary topics added, which are short
    of all that the unjudged ranks of the other topics weigh, one each way. Without these, a run
    that is short of nothing on most topics and of much on few has far too narrow an interval
    whenever none of the few is common.

    Webber and Park, Score adjustment for correction of pooling bias, SIGIR 2009, Algorithm 2.
    """

    interval: Kind = "padded"
    tune: Tune = "reference"
    needs_common = True
    takes_reference = True

    def check(self, evidence: UnpooledRuns) -> None:
        """It learns from common topics alone."""
        if evidence.common is None or not evidence.common.any():
            raise ValueError(
                "WebberTopics learns from topics that are judged in full: "
                "name them with `common`, in a file one on each line"
            )

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """Mean of what the runs are short of on the common topics."""
        return self.seen(evidence).adjustment

    def seen(self, evidence: UnpooledRuns) -> "FromTopics":
        """What the common topics tell."""
        plentiful, true, n_all = both_scores(evidence)
        return from_topics(plentiful, true, n_all, self.slope(plentiful, true, evidence))

    def slope(self, plentiful: Floats, true: Floats, evidence: UnpooledRuns) -> float:
        """The l of the formula."""
        tuned = (
            evidence.reference is not None if self.tune == "reference" else self.tune == "always"
        )
        return tuned_slope(plentiful[:, : true.shape[1]], true) if tuned else 1.0

    def corrected(
        self, evidence: UnpooledRuns, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Mean scores over all topics; the error is that of drawing the common ones."""
        plentiful, true, n_all = both_scores(evidence)
        slope = self.slope(plentiful, true, evidence)
        seen, share = from_topics(plentiful, true, n_all, slope), unjudged_share(evidence)
        n = true.shape[1]
        beta = true - slope * plentiful[:, :n]
        below, above = reach(self.interval, beta, n_all, random, open_weight(evidence))
        doubts = []
        for run in range(len(plentiful)):
            reasons = [] if evidence.reference is not None else unjudged_doubts(share[run])
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
            if evidence.reference is not None:
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

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Of the topics."""
        plentiful, true, n_all = both_scores(evidence)
        slope = self.slope(plentiful, true, evidence)
        seen = from_topics(plentiful, true, n_all, slope)
        better = int((seen.standard_error < np.abs(seen.adjustment)).sum())
        tighter = int((seen.variance < seen.sample_variance).sum())
        n = true.shape[1]
        tuned = [] if slope == 1 else [f"cheap scores count {slope:.2f}, as learnt from these"]
        ignored = _n_ignored(evidence)
        outside = f"{ignored:,} judgments outside the pool are ignored, except on common topics"
        return [
            f"WebberTopics: assumes that the {n} common topics are a random sample of all {n_all}",
            *([outside] if ignored else []),
            *tuned,
            *_other_means(evidence.new_names, seen),
            f"of {len(plentiful)} runs, adjusting is likely to beat leaving the score as it is for "
            f"{better} (Eq. 6), and the plain mean of the common topics for {tighter} (Eqs. 3, 5)",
        ]


FEW_RUNS = 10


def _other_means(names: tuple[str, ...], seen: "FromTopics") -> list[str]:
    """Return the mixed score and the plain mean of the runs, of the best ones if there are many."""
    best = np.argsort(-seen.adjusted, kind="stable")[:FEW_RUNS]
    return [
        f"{names[run]}: mixed score {seen.mixed[run]:.4f} (reference scores on the common topics, "
        f"unadjusted ones on the others), plain mean of the common topics "
        f"{seen.sample_mean[run]:.4f}, adjusted {seen.adjusted[run]:.4f}"
        for run in best
    ]


def both_scores(evidence: UnpooledRuns) -> tuple[Floats, Floats, int]:
    """Cheap scores [new, topics that count], reference ones [new, common], the number of the
    former.

    The common topics come first among all; a topic on which a score is undefined does not count.
    """
    assert evidence.common is not None
    reference = evidence.judgments if evidence.reference is None else evidence.reference
    plentiful = evidence.measure.score(evidence.new_lists(_plentiful_judgments(evidence))).value
    true = evidence.measure.score(evidence.new_lists(reference)).value
    counted = ~np.isnan(plentiful).any(axis=0)
    known = evidence.common & counted & ~np.isnan(true).any(axis=0)
    order = np.concatenate([np.flatnonzero(known), np.flatnonzero(counted & ~known)])
    if not known.any():
        raise ValueError("on none of the common topics is the measure defined by both judgments")
    return plentiful[:, order], true[:, known], len(order)


def _plentiful_judgments(evidence: UnpooledRuns) -> Judgments:
    """Return the cheap judgments of all topics: without reference ones, those inside the pool.

    Outside the pool of the other runs, common topics have more judgments than the others, and a
    score by them would not mean the same on both.
    """
    if evidence.reference is not None:
        return evidence.judgments
    return evidence.judgments.only(evidence.drawn.member(evidence.best_ranks.best))


def _n_ignored(evidence: UnpooledRuns) -> int:
    """Return the number of judgments of topics that are not common that count nowhere."""
    assert evidence.common is not None
    ignored = evidence.judgments.judged & ~_plentiful_judgments(evidence).judged
    return int((ignored & ~evidence.common[evidence.judgments.pairs.topic]).sum())


@dataclass(frozen=True, eq=False)
class FromTopics:
    """What the common topics tell, one number a run (or a draw of common topics).

    `adjustment` is a of Eq. 1, `variance` s_a^2 of Eq. 7, `sample_mean` and `sample_variance` those
    of the reference scores alone, `mixed` the reference scores on the common topics with the cheap
    ones on the others.
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


def tuned_slope(plentiful: Floats, true: Floats) -> float:
    """cov(t, u) / var(u) on the common topics [runs, topics], drawn towards 1.

    Sums over all runs: a slope for each run alone, from few topics, has more error than 1 has.

    >>> tuned_slope(np.array([[0.0, 0.2, 0.4, 0.6]]), np.array([[0.0, 0.1, 0.2, 0.3]]))
    0.8333333333333334
    """
    n = true.shape[1]
    away = plentiful - plentiful.mean(axis=1, keepdims=True)
    square = float((away**2).sum())
    if n < LEAST_TUNED or not square:
        return 1.0
    slope = float((away * true).sum()) / square
    return float(1 + (slope - 1) * n / (n + PSEUDO_TOPICS))


def from_topics(plentiful: Floats, true: Floats, n_all: int, slope: float = 1.0) -> FromTopics:
    """Algorithm 2 for cheap scores [runs, topics], common ones first, and true ones of those.

    With a `slope` other than 1, cheap scores count so much of themselves.
    """
    n = true.shape[1]
    beta = true - slope * plentiful[:, :n]
    left = (n_all - n) / n_all
    variance = beta.var(axis=1, ddof=1) if n > 1 else np.full(len(plentiful), np.nan)
    of_sample = true.var(axis=1, ddof=1) if n > 1 else np.full(len(plentiful), np.nan)
    total = plentiful.sum(axis=1)
    mixed = total + (true - plentiful[:, :n]).sum(axis=1)
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


def open_weight(evidence: UnpooledRuns) -> Floats:
    """What the unjudged ranks of the topics that are not common weigh on average, by run.

    0 with reference judgments, which may contradict the cheap ones at any rank, and for measures
    without an interval.
    """
    assert evidence.common is not None
    if evidence.reference is not None or evidence.common.all():
        return np.zeros(len(evidence.new_names))
    measure = evidence.measure
    if measure.judged_only:
        measure = replace(measure, judged_only=False)  # type: ignore[type-var]
    scores = measure.score(evidence.but(measure=measure).new_lists(_plentiful_judgments(evidence)))
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


CELLS = 1 << 21


@adjusters.register
@dataclass(frozen=True)
class Lipani(Adjuster):
    """Correction of P@n from the effect of a new run's documents on the pooled runs.

    Formula: K * max(dK, 0) is added if K * (dP * A - dA * P) > 0

    P, A and K are the shares of relevant, judged non-relevant and unjudged documents in the new
    run's first n, means over topics. Each pooled run's own documents are re-ordered: one that the
    new run returns too gets the new run's rank (merge=replace, as in the authors' software) or the
    mean of both ranks (merge=average, as in the text); equal ranks keep their old order. dP, dA and
    dK are the mean changes of the three shares. Only for P@n. `merge` has no default because the
    paper and its software disagree.

    Lipani, Lupu and Hanbury, Splitting water: precision and anti-precision to reduce pool bias,
    SIGIR 2015; as stated in The curious incidence of bias corrections in the pool, ECIR 2016.
    """

    merge: Literal["average", "replace"]

    def check(self, evidence: UnpooledRuns) -> None:
        """Only precision at a depth has its anti-precision."""
        self._precision(evidence)

    def _precision(self, evidence: UnpooledRuns) -> P:
        measure = evidence.measure
        if not isinstance(measure, P) or measure.judged_only:
            raise ValueError(
                f"{self} puts right P@n only, not {measure}: try WebberSystems or Regression"
            )
        return measure

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """K max(dK, 0) where the trigger is above 0."""
        share, change = self._shares(evidence)
        # Counts, so that the sign of the trigger is exact; (P, A, K) are the columns.
        trigger = share[:, 2] * (change[:, 0] * share[:, 1] - change[:, 1] * share[:, 0])
        ranks = self._precision(evidence).k * evidence.n_topics
        n_pooled = len(evidence.pooled_runs)
        amount = share[:, 2] * np.maximum(change[:, 2], 0) / (ranks * ranks * n_pooled)
        return np.where(trigger > 0, amount, 0.0)

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Of the changes."""
        share, change = self._shares(evidence)
        depth = self._precision(evidence).k
        ranks = depth * evidence.n_topics
        mean = share.mean(axis=0) / ranks
        moved = change.mean(axis=0) / ranks / len(evidence.pooled_runs)
        return [
            f"{self}: assumes that a new run's unjudged documents are relevant as often as those "
            "that it moves into the pooled runs' first ranks are unjudged",
            f"of the new runs' first {depth}, {mean[0]:.4f} are relevant, {mean[1]:.4f} "
            f"non-relevant and {mean[2]:.4f} unjudged; they change the pooled runs' shares by "
            f"{moved[0]:+.4f}, {moved[1]:+.4f} and {moved[2]:+.4f}",
        ]

    def _shares(self, evidence: UnpooledRuns) -> tuple[Int64s, Int64s]:
        """Counts of relevant, non-relevant, unjudged in the new runs, and their total changes."""
        measure, judgments = self._precision(evidence), evidence.judgments
        label = np.where(judgments.judged, np.where(judgments.grade >= measure.rel, 0, 1), 2)
        label = np.append(label, 3).astype(np.int16)
        share = _counts(evidence.new_runs(measure.k), label)
        before = _counts(evidence.pooled_runs.top(measure.k), label).sum(axis=0)
        tops = reordered(evidence, measure.k, self.merge)
        after = np.stack([np.bincount(label[top].ravel(), minlength=4)[:3] for top in tops])
        return share, after - before


def _counts(runs: Runs, label: Int16s) -> Int64s:
    """Entries of each run with label 0, 1 and 2."""
    cell = runs.entries.run * 4 + label[runs.pair]
    return np.bincount(cell, minlength=4 * len(runs.names)).reshape(-1, 4)[:, :3]


def reordered(evidence: UnpooledRuns, depth: int, merge: str) -> list[Int32s]:
    """For each new run, the pairs in the pooled runs' first ranks after re-ordering.

    Padded with the number of pairs where lists are short. It depends on no judgment, so all pools
    of the same runs share it.
    """
    kept = evidence.pooled_runs.kept
    key = ("reordered", evidence.new_names, depth, merge)
    if key not in kept:
        pair = _matrix(evidence.pooled_runs.runs)
        kept[key] = [_tops(pair, rank, depth, merge) for rank in evidence.new_ranks()]
    tops: list[Int32s] = kept[key]
    return tops


def _matrix(runs: Runs) -> Int32s:
    """Lists as rows, padded with the number of pairs."""
    length = runs.length.ravel()
    wide = np.full((len(length), int(length.max(initial=1))), len(runs.pairs), np.int32)
    wide[np.arange(wide.shape[1]) < length[:, None]] = runs.pair
    return wide


def _tops(pair: Int32s, rank: Int32s, depth: int, merge: str) -> Int32s:
    """The first `depth` of every row, once shared documents have their new ranks."""
    rank = np.append(rank, np.int32(UNRANKED))
    n, width = pair.shape
    if width <= depth:
        return pair
    old = np.arange(1, width + 1)
    found = []
    for first in range(0, n, max(1, CELLS // width)):
        rows = pair[first : first + max(1, CELLS // width)]
        theirs = rank[rows].astype(np.int64)
        moved = 2 * theirs if merge == "replace" else theirs + old
        # Twice the new rank is whole; behind it the old rank settles ties; padding comes last.
        new = np.where(theirs == UNRANKED, 2 * old, moved) * (width + 1) + old
        new[rows == len(rank) - 1] = np.iinfo(np.int64).max
        best = np.argpartition(new, depth - 1, axis=1)[:, :depth]
        found.append(np.take_along_axis(rows, best, axis=1))
    return np.concatenate(found)
