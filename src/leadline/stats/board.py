"""Everything to say about the runs by one measure: a leaderboard, who is best, how surely."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
import polars as pl
from scipy.special import ndtr

from leadline.completions.adjuster import Adjusted
from leadline.completions.contributions import Groups, LeftOut
from leadline.completions.pair_weights import PairWeights
from leadline.completions.winner import ScorePosterior
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.scores import SCORE_NOISE, Scores
from leadline.io.problems import Notices
from leadline.measures.measure import Measure, Weighted
from leadline.stats.certainty import LIKELY, WITHIN, Certainty, chance_of_best
from leadline.stats.correlation import orderings
from leadline.stats.pairwise import By, Pairwise, places, ranked
from leadline.stats.power import TopicConfidence

LEAST_BLOCK, N_BLOCKS = 20, 300
"""Pairs that are judged between two looks: so many, or as many as make so many looks."""


def until_certain(weights: PairWeights, judged: Bools, gain: Floats, replayed: Floats) -> int:
    """Return how many judgments it takes until no run can pass the best one, a median.

    Formula: the least n with base_s(n) + open_s(n) <= base_L(n) for every run s

    `replayed` [pairs, completions] are gains in completions that the relevance model drew. In each,
    L is the run that is best then, and pairs are judged in the order of how far they weigh
    differently in L and in the runs that can still pass it, some at a time. 0 if it is certain
    already.
    """
    known = np.where(judged, gain, 0.0)
    left = np.flatnonzero(~judged)
    matrix = weights.matrix.tocsc()[:, left]
    base = weights.scores(known)
    if _certain_now(base, matrix):
        return 0
    counts = [_judgments(base, matrix, gains) for gains in replayed[left].T]
    return int(np.median(counts))


def _certain_now(base: Floats, matrix: Any) -> bool:
    leader = int(np.argmax(base))
    return bool((_upper(base, matrix, leader) <= SCORE_NOISE).all())


def _upper(base: Floats, matrix: Any, leader: int) -> Floats:
    """The most that each run's difference to the leader can become; the leader's own is 0."""
    own = matrix[[leader]].toarray()[0]
    shared = np.flatnonzero(own)
    # Pairs that the leader has not count in full, the others by what they weigh more.
    more = matrix.sum(axis=1) - matrix[:, shared].sum(axis=1)
    more = more + np.maximum(matrix[:, shared].toarray() - own[shared], 0.0).sum(axis=1)
    upper: Floats = base - base[leader] + more
    upper[leader] = 0.0
    return upper


def _judgments(base: Floats, matrix: Any, gains: Floats) -> int:
    """How many pairs of a completion are judged until its best run is certain."""
    leader = int(np.argmax(np.round((base + matrix @ gains) / SCORE_NOISE)))
    own = matrix[[leader]].toarray()[0]
    missing = _upper(base, matrix, leader)
    rows = matrix.tocsr()
    unjudged = np.ones(len(gains), np.bool_)
    block = max(LEAST_BLOCK, len(gains) // N_BLOCKS)
    n, contenders, weight = 0, np.zeros(len(base), np.bool_), np.zeros(len(gains))
    while (missing > SCORE_NOISE).any():
        if not np.array_equal(contenders, missing > SCORE_NOISE):
            contenders = missing > SCORE_NOISE
            weight = _weight(rows[contenders], own)
        weight[~unjudged] = 0.0
        chosen = np.argpartition(-weight, min(block, len(weight) - 1))[:block]
        chosen = chosen[weight[chosen] > 0]
        if not len(chosen):
            break
        apart = matrix[:, chosen].toarray() - own[chosen]
        # Whatever a judgment says, it closes what it does not give.
        closed = np.where(apart > 0, apart * (1 - gains[chosen]), -apart * gains[chosen])
        missing -= closed.sum(axis=1)
        unjudged[chosen] = False
        n += len(chosen)
    return n


def _weight(rows: Any, own: Floats) -> Floats:
    """How far pairs weigh differently in some runs and in the leader, all runs together."""
    shared = np.flatnonzero(own)
    total: Floats = np.asarray(rows.sum(axis=0)).ravel()
    total[shared] = np.abs(rows[:, shared].toarray() - own[shared]).sum(axis=0)
    return total


N_LOOKS = 200
"""At so many counts of judgments the probability is forecast."""


@dataclass(frozen=True, eq=False)
class WinnerForecast:
    """The run that leads by a model, how sure it is to be best, and what more judgments do.

    `probability` is that no other run is better by more than `within`. `to_likely` and `to_certain`
    are forecasts of how many judgments it takes, 0 once it is so; `looks` and `chance` are the
    probability to expect after so many more judgments. `expected` are all runs' scores.
    """

    leader: int
    certainty: Certainty
    probability: float
    confidence: float
    to_likely: int
    to_certain: int
    looks: Int64s
    chance: Floats
    expected: Floats

    @property
    def chance_of_leader(self) -> str:
        """The probability that the leader is best, in words."""
        return chance_of_best(self.probability)

    def after(self, n: int) -> float:
        """The probability to expect after n more judgments; what is left beyond all is certain."""
        return float(np.interp(n, self.looks, self.chance))


def outlook(
    posterior: ScorePosterior,
    weights: PairWeights,
    judged: Bools,
    gain: Floats,
    *,
    certain: bool,
    confidence: float = LIKELY,
    within: float = WITHIN,
) -> WinnerForecast:
    """What a posterior says of the best run; `judged` and `gain` are those of the weights' pairs.

    Whether the best run is `certain` whoever asks must know: the weights leave out ranks that
    hardly count.

    Formula: likely after the least n with sum over s of P(score_s - score_L > within | n) <= 1 -
    confidence

    Documents are taken in the order of what they weigh in the differences that matter, and to be
    as good as the model expects: then the means stay and only what is open shrinks. For `certain`
    see `until_certain`.
    """
    leader = int(np.argmax(posterior.best()))
    probability = posterior.confidence(posterior.best(), within)
    contrasts = _Contrasts(posterior, weights, judged, leader)
    to_certain = 0
    if not certain:
        to_certain = max(1, until_certain(weights, judged, gain, posterior.replayed))
    looks, chance = contrasts.forecast(within)
    # Joint draws know better than the sum over runs what is so now.
    chance = np.maximum(chance, min(probability, 1.0))
    to_likely = None
    if (chance >= confidence).any():
        to_likely = int(looks[np.argmax(chance >= confidence)])
    to_likely = to_certain if to_likely is None else min(to_likely, to_certain)
    certainty: Certainty = "open"
    if certain:
        certainty = "certain"
    elif probability >= confidence:
        certainty = "likely"
    return WinnerForecast(
        leader,
        certainty,
        probability,
        confidence,
        to_likely,
        to_certain,
        looks,
        chance,
        posterior.mean,
    )


def outlook_of(
    posterior: ScorePosterior,
    judgments: Judgments,
    measure: Measure,
    *,
    certain: bool,
    confidence: float = LIKELY,
) -> WinnerForecast:
    """The outlook from judgments of all pairs, by a weighted measure."""
    weighted = measure.numerator
    assert weighted is not None
    weights = PairWeights.of(posterior.runs, weighted)
    judged = judgments.judged[weights.pair]
    gain = weighted.gain(judgments.max_grade)[judgments.grade[weights.pair]]
    return outlook(posterior, weights, judged, gain, certain=certain, confidence=confidence)


class _Contrasts:
    """The differences of all other runs to the leader, over the unjudged pairs."""

    def __init__(
        self,
        posterior: ScorePosterior,
        weights: PairWeights,
        judged: Bools,
        leader: int,
    ) -> None:
        self.posterior, self.leader = posterior, leader
        left = np.flatnonzero(~judged)
        self.expected = posterior.expected[left]
        self.matrix = weights.matrix[:, left]
        self.others = [run for run in range(len(posterior.mean)) if run != leader]

    def _apart(self, run: int) -> Floats:
        """How much more each unjudged pair weighs in a run than in the leader."""
        row: Floats = (self.matrix[[run]] - self.matrix[[self.leader]]).toarray()[0]
        return row

    def _order(self, share: Floats) -> Int64s:
        """Unjudged pairs, heaviest first, by the runs that count so much; none that weigh 0."""
        total = np.zeros(len(self.expected))
        for run in self.others:
            if share[run] > 0:
                total += share[run] * np.abs(self._apart(run))
        order = np.argsort(-np.round(total, 12), kind="stable")
        return order[total[order] > 0]

    def forecast(self, within: float) -> tuple[Int64s, Floats]:
        """Counts of judgments, and the probability to expect then that the leader is best."""
        ahead = self.posterior.ahead(self.leader)
        order = self._order(ahead)
        looks = np.unique(np.linspace(0, len(order), N_LOOKS + 1).round().astype(np.int64))
        failing = np.zeros(len(looks))
        own = self.expected * (1 - self.expected)
        covariance, mean = self.posterior.covariance, self.posterior.mean
        for run in self.others:
            apart = self._apart(run)[order]
            lead = mean[self.leader] - mean[run] + within
            variance = (
                covariance[run, run]
                + covariance[self.leader, self.leader]
                - 2 * covariance[run, self.leader]
            )
            of_pairs = _rest(apart**2 * own[order], looks)
            # What is open of the model moves all pairs together, so it falls with their sum.
            share = _rest(np.abs(apart) * own[order], looks)
            of_model = max(0.0, float(variance - of_pairs[0]))
            open_ = of_pairs + of_model * (share / max(share[0], SCORE_NOISE)) ** 2
            failing += ndtr(-lead / np.sqrt(np.maximum(open_, SCORE_NOISE**2)))
        return looks, np.clip(1 - failing, 0.0, 1.0)


def _rest(amount: Floats, looks: Int64s) -> Floats:
    """What remains of a sum after the first so many."""
    cumulative = np.concatenate([[0.0], amount.cumsum()])
    left: Floats = np.maximum(cumulative[-1] - cumulative[looks], 0.0)
    return left


@dataclass(frozen=True, eq=False)
class EstimatedMeans:
    """An estimator's name and its mean score of every run, NaN where it has none."""

    name: str
    value: Floats

    @property
    def places(self) -> list[int | None]:
        """Place of each run, 1 the best; equals share the better place."""
        return places(self.value)


def estimated_means(
    table: pl.DataFrame, measure: str, runs: tuple[str, ...], notices: Notices
) -> tuple[EstimatedMeans, ...]:
    """The estimates of one measure for these runs, in the order of the table.

    `table` has the columns run, measure, estimator, value.
    """
    estimates = []
    of_measure = table.filter(pl.col("measure") == measure)
    for (name,), rows in of_measure.group_by("estimator", maintain_order=True):
        of_run = dict(rows.select("run", "value").iter_rows())
        if not set(of_run) & set(runs):
            raise ValueError(f"{name} estimates {measure} for none of these runs")
        value = np.array([of_run.get(run) for run in runs], np.float64)
        missing = int(np.isnan(value).sum())
        if missing:
            message = f"has no estimate of {measure} for {missing} of {len(runs)} runs"
            notices.add(str(name), "warning", "estimates", message)
        estimates.append(EstimatedMeans(str(name), value))
    return tuple(estimates)


def agreement(first: EstimatedMeans, second: EstimatedMeans) -> dict[str, float]:
    """How far two estimates order the runs alike, on the runs that both have."""
    both = ~np.isnan(first.value) & ~np.isnan(second.value)
    if both.sum() < 2:
        return {}
    return orderings(first.value[both], second.value[both])


@dataclass(frozen=True)
class GroupLeftOut:
    """A group's best run: score and place with the group in the pool and without it."""

    group: str
    run: str
    value: float
    without: float
    lower: float
    upper: float
    place: int | None
    place_without: int | None


@dataclass(frozen=True, eq=False)
class AnytimeEnds:
    """Both ends of every run's anytime-valid interval, and how many judgments count in them."""

    lower: Floats
    upper: Floats
    n_judged: int


@dataclass(frozen=True, eq=False)
class Board:
    """A measure's scores, all pairs of runs compared, and the scores with a group left out.

    `pairwise` is None where there is one run only, `left_out` where the judgments are no pool of
    the runs. `alike` is the same number for runs with the same lists. Of `estimates`, where there
    are any, the first is the score itself; `confidence` has intervals over topics, if asked for,
    and `anytime` the intervals of judgments that were sampled in batches. `adjusted` has the
    adjusted scores of the unpooled runs, where there are any.
    """

    measure: Measure
    scores: Scores
    pairwise: Pairwise | None
    alike: Int64s
    left_out: tuple[GroupLeftOut, ...] | None = None
    estimates: tuple[EstimatedMeans, ...] = ()
    confidence: TopicConfidence | None = None
    anytime: AnytimeEnds | None = None
    adjusted: Adjusted | None = None

    @cached_property
    def adjusted_place(self) -> dict[int, int]:
        """Return where each unpooled run stands in `adjusted`."""
        if self.adjusted is None:
            return {}
        number = {name: run for run, name in enumerate(self.scores.runs)}
        return {number[name]: at for at, name in enumerate(self.adjusted.runs)}

    @cached_property
    def mean(self) -> Floats:
        """Mean score of each run."""
        return self.scores.mean()

    @cached_property
    def lower(self) -> Floats:
        """The least that each mean can become."""
        return self.scores.mean_lower()

    @cached_property
    def upper(self) -> Floats:
        """The most that each mean can become."""
        return self.scores.mean_upper()

    @cached_property
    def order(self) -> Int64s:
        """Runs, best score first; those without a score last, equals by name."""
        return ranked(self.mean, self.scores.runs)

    @cached_property
    def places(self) -> list[int | None]:
        """Place of each run, 1 the best; equals share the better place."""
        return places(self.mean)

    @cached_property
    def tiers(self) -> dict[By, Int64s] | None:
        """The tier of each run by the test and for certain; None where there is one run only."""
        if self.pairwise is None:
            return None
        tiers = {by: self.pairwise.tiers(by) for by in get_args(By)}
        return {by: tier for by, tier in tiers.items() if tier is not None}

    @cached_property
    def judged(self) -> Floats:
        """Share of what the measure looks at that was judged, mean over topics."""
        return self.scores.mean_judged()

    @property
    def has_interval(self) -> bool:
        """Whether the measure tells how far its scores could still go."""
        return not bool(np.isnan(self.upper).all())

    @cached_property
    def ideals(self) -> tuple[Floats, float] | None:
        """By topic the ideal that scores are shares of, and the most that it can become.

        None of measures that are no shares.
        """
        pairs, measure = self.pairwise, self.measure
        if pairs is None or measure.numerator in (None, measure):
            return None
        return measure.ideals(pairs.judgments.counts, pairs.judgments.max_grade)

    @cached_property
    def all_judged(self) -> bool:
        """Whether every document that one of several runs returns was judged."""
        pairs = self.pairwise
        return pairs is not None and bool(pairs.judgments.judged[pairs.runs.pair].all())

    @property
    def estimated(self) -> bool:
        """Whether means are estimated as a whole, and unjudged documents do not count as 0."""
        return self.scores.of_mean is not None

    @property
    def exact_bounds(self) -> bool:
        """Whether some completion of the judgments reaches every bound of a difference."""
        return isinstance(self.measure, Weighted)

    @cached_property
    def rivals(self) -> Int64s | None:
        """Runs that the bounds do not keep below the leader, best first; None without bounds."""
        if self.pairwise is None or not self.has_interval:
            return None
        leader = int(self.order[0])
        above: Floats = self.pairwise.joint.upper[self.order, leader]
        may = (above > SCORE_NOISE) & (self.order != leader)
        rivals: Int64s = self.order[may]
        return rivals

    @cached_property
    def outlook(self) -> WinnerForecast | None:
        """Who is best by a model of the judgments, and how much judging that still takes.

        None where the measure has no such model.
        """
        pairs, rivals = self.pairwise, self.rivals
        if pairs is None or rivals is None or pairs.posterior is None:
            return None
        certain, confidence = not len(rivals), pairs.likely
        return outlook_of(
            pairs.posterior, pairs.judgments, pairs.measure, certain=certain, confidence=confidence
        )

    @cached_property
    def level_with_leader(self) -> Int64s | None:
        """Runs that the test cannot tell from the leader, best first; None if there is no test."""
        if self.pairwise is None:
            return None
        leader = int(self.order[0])
        apart = self.pairwise.apart("significance")[leader, self.order]
        level: Int64s = self.order[~apart & (self.order != leader)]
        return level

    @property
    def agreements(self) -> list[tuple[str, dict[str, float]]]:
        """How far each two estimates order the runs alike, by their names."""
        return [
            (f"{one.name} and {other.name}", agreement(one, other))
            for at, one in enumerate(self.estimates)
            for other in self.estimates[at + 1 :]
        ]


def groups_left_out(scores: Scores, groups: Groups, left: LeftOut) -> tuple[GroupLeftOut, ...]:
    """Each pooled group's best run when the group had not been pooled, the largest fall first."""
    mean = scores.mean()
    place = places(mean)
    rows = []
    for group, name in enumerate(groups.names):
        own = np.flatnonzero((groups.of_run == group) & groups.pooled & ~np.isnan(mean))
        if not len(own):
            continue
        best = int(own[np.argmax(mean[own])])
        rows.append(
            GroupLeftOut(
                name,
                scores.runs[best],
                float(mean[best]),
                float(left.value[group, best]),
                float(left.lower[group, best]),
                float(left.upper[group, best]),
                place[best],
                places(left.value[group])[best],
            )
        )
    # Noise of the last digits is no fall.
    return tuple(sorted(rows, key=lambda row: round(np.nan_to_num(row.without) - row.value, 9)))
