"""A new run against its baseline: what is certain, what is likely, the verdict, what to judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from scipy.special import stdtr

from leadline.completions.anytime import AnytimeScores
from leadline.completions.bounds import (
    TopicDifferences,
    same_lists,
    topic_differences,
    unjudged_share,
)
from leadline.completions.draw import N_DRAWS, Completions
from leadline.completions.estimator import TrainingData
from leadline.completions.regression import relevance_model
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE, furthest_mean
from leadline.io.problems import InputError
from leadline.measures.measure import Measure
from leadline.stats.certainty import Certainty
from leadline.stats.mean_uncertainty import (
    MeanUncertainty,
    NoDifference,
    TopicVariance,
    WorstCompletion,
)
from leadline.stats.pairwise import FEW, FEW_TOPICS, THIRD, UNJUDGED
from leadline.stats.power import topics_needed
from leadline.stats.significance import Correction, corrected, moments

Verdict = Literal["not_worse", "worse", "equivalent", "different", "undecided"]
Asked = Literal["not_worse", "equivalent"]
"""Non-inferiority: not worse by more than the margin; or equivalence: neither worse nor better."""


def verdicts(
    doubts: Sequence[MeanUncertainty],
    margin: float,
    confidence: float,
    correction: Correction,
    asked: Asked,
) -> list[Verdict]:
    """For each of a family of differences what holds with this confidence.

    not_worse: it is at least -margin; worse: at most -margin. equivalent: both at least -margin and
    at most margin; different: at most -margin or at least margin. Each is a test with one tail,
    so that a verdict is wrong with 1 - confidence at most; without a correction it says where the
    bounds of that confidence lie.

    >>> from leadline.stats.mean_uncertainty import TopicVariance
    >>> one = TopicVariance(0.02, 0.01, 49)
    >>> [round(bound, 3) for bound in one.bounds(0.95)]
    [0.003, 0.037]
    >>> verdicts([one], 0.01, 0.95, "holm", "not_worse")
    ['not_worse']
    >>> verdicts([one], 0.01, 0.95, "holm", "equivalent")
    ['undecided']
    """
    level = 1 - confidence

    def shown(p: list[float]) -> Bools:
        with np.errstate(invalid="ignore"):
            low: Bools = corrected(np.array(p), correction) < level
        return low

    above = shown([each.p_above(-margin) for each in doubts])
    below = shown([each.p_below(-margin) for each in doubts])
    if asked == "not_worse":
        return [
            "not_worse" if a else "worse" if b else "undecided"
            for a, b in zip(above, below, strict=True)
        ]
    less = shown([each.p_below(margin) for each in doubts])
    more = shown([each.p_above(margin) for each in doubts])
    return [
        "equivalent"
        if above[at] and less[at]
        else "different"
        if below[at] or more[at]
        else "undecided"
        for at in range(len(doubts))
    ]


N_COINS = 100

NO_MODEL = "no model of unjudged documents"
CLASSIC = "unjudged counted as non-relevant"
GateUnjudgedAs = Literal["lower"]
"""How a gate counts unjudged documents where it does not allow for their grades."""


@dataclass(frozen=True, eq=False)
class RunPair:
    """Two runs among those of the evidence, looked at to a depth, None for whole lists.

    With `model` unjudged documents are drawn from what the contributing runs teach, else anything
    may be true of them.
    """

    evidence: TrainingData
    baseline: str
    new: str
    depth: int | None
    model: bool = True
    seed: int = 0

    @cached_property
    def runs(self) -> Runs:
        """The two: the baseline, then the new one."""
        names = self.evidence.runs.names
        places = np.array([names.index(self.baseline), names.index(self.new)], np.int64)
        return self.evidence.runs.only(places, self.depth)

    @cached_property
    def same(self) -> bool:
        """Whether both return the same lists."""
        return bool(same_lists(self.runs, None)[0, 1])

    def unjudged(self, measure: Measure, topics: Bools) -> Floats:
        """The share of what the measure looks at that was not judged, of each run."""
        return unjudged_share(self.runs, self.evidence.judgments, measure, topics)

    def check_known(self) -> None:
        """Refuse a run none of whose documents is judged or returned by another run."""
        runs = self.evidence.runs
        judged = self.evidence.judgments.judged
        known = judged | (np.bincount(runs.pair, minlength=len(judged)) > 1)
        for name in dict.fromkeys((self.new, self.baseline)):
            own = runs.pair[runs.entries.run == runs.names.index(name)]
            if len(own) and not known[own].any():
                message = (
                    f"none of its {len(own):,} documents is known: none is judged, and no other "
                    "run returns one. Are its ids from another index?"
                )
                raise InputError.of(name, "unknown-documents", message)

    @cached_property
    def drawn(self) -> Completions:
        """Completions by the model; without one, any grade of the two runs with equal probability.

        The latter tell which documents matter, not what is likely.
        """
        if self.model:
            return relevance_model(self.evidence).draw(N_DRAWS, self.seed)
        judgments = self.evidence.judgments
        pair = np.unique(self.runs.pair[~judgments.judged[self.runs.pair]]).astype(np.int64)
        random = np.random.default_rng(self.seed)
        grade = random.integers(0, judgments.max_grade + 1, (len(pair), N_COINS), np.int16)
        return Completions(self.runs, judgments, pair, grade)

    def differences(self, measure: Measure) -> TopicDifferences:
        """New minus baseline, by topic."""
        return topic_differences(self.runs, self.evidence.judgments, measure)

    def drawn_differences(self, measure: Measure) -> Floats:
        """[draws, topics]: new minus baseline in every draw, NaN where it is undefined."""
        scores = self.drawn.scores(measure, self.runs)
        difference: Floats = scores[:, 1] - scores[:, 0]
        return difference


@dataclass(frozen=True, eq=False)
class MeanDifference:
    """The mean difference of new and baseline over some topics, with all that is known of it.

    `drawn` [draws, topics] are differences by a model, None without one. `same` says that both are
    one run, which is no different on any topic. With `classic` unjudged documents count as
    non-relevant, so that only the sample of topics is uncertain.
    """

    differences: TopicDifferences
    drawn: Floats | None
    same: bool = False
    classic: bool = False

    @cached_property
    def n_topics(self) -> int:
        """Topics on which both runs have a score."""
        return int((~np.isnan(self.differences.value)).sum())

    @cached_property
    def chance(self) -> TopicVariance:
        """Over topics alone, with unjudged documents non-relevant."""
        return TopicVariance.of(self.differences.value)

    @cached_property
    def both(self) -> MeanUncertainty:
        """Over topics and unjudged documents together."""
        if self.same:
            return NoDifference()
        if self.classic:
            return self.chance
        if self.drawn is None:
            return WorstCompletion(self.differences)
        return TopicVariance.of_draws(self.drawn)

    @cached_property
    def certain(self) -> tuple[float, float]:
        """The ends of the mean difference on these topics over all completions."""
        differences = self.differences
        defined = ~np.isnan(differences.value)[None]
        least = 0.0 - furthest_mean(-differences.lower[None], defined)
        return float(least[0]), float(furthest_mean(differences.upper[None], defined)[0])

    def on_these_topics(
        self, margin: float, confidence: float, asked: Asked
    ) -> tuple[Verdict, Certainty]:
        """What holds on these topics once all is judged, and how settled that is.

        certain if it holds in every completion; likely if it does with this probability by the
        draws; undecided and open else.
        """
        low, high = self.certain
        above = low > -margin - SCORE_NOISE, low > margin + SCORE_NOISE
        below = high < -margin - SCORE_NOISE, high < margin + SCORE_NOISE
        found = _statement(asked, above, below)
        if found != "undecided":
            return found, "certain"
        if self.drawn is None or np.isnan(self.expected):
            return "undecided", "open"
        spread = float(moments(self.drawn)[1].std(ddof=1))
        ends = np.array([-margin, margin])
        under = stdtr(len(self.drawn) - 1, (ends - self.expected) / max(spread, SCORE_NOISE))
        if asked == "equivalent" and under[1] - under[0] >= confidence:
            return "equivalent", "likely"
        found = _statement(asked, tuple(1 - under >= confidence), tuple(under >= confidence))
        if found in ("undecided", "equivalent"):
            return "undecided", "open"
        return found, "likely"

    @property
    def expected(self) -> float:
        """With unjudged documents as the model expects them; NaN without one."""
        return np.nan if self.drawn is None else TopicVariance.of_draws(self.drawn).centre

    @property
    def predicted(self) -> tuple[float, float]:
        """The 95% prediction interval on these topics; NaN without a model."""
        if self.drawn is None:
            return np.nan, np.nan
        means = moments(self.drawn)[1]
        low, high = MeanEstimate.of_draws(means.mean(keepdims=True), means[:, None]).interval()
        return float(low[0]), float(high[0])

    def on(self, topics: Bools) -> "MeanDifference":
        """The mean over some of the topics."""
        drawn = None if self.drawn is None else np.where(topics, self.drawn, np.nan)
        return MeanDifference(self.differences.on(topics), drawn, self.same, self.classic)


def sampled_statement(
    scores: AnytimeScores,
    first: int,
    second: int,
    margin: float,
    alpha: float,
    asked: Asked,
) -> Verdict:
    """Return what sampled batches show of first minus second, wrong with probability alpha at most.

    It may be asked after every batch. Whether a run is worse takes one test that can err at a time;
    whether runs differ takes two, with half of alpha each.
    """
    at = np.array([[first], [second]])
    above = tuple(scores.refutes(at[0], at[1], 0, end, margin) for end in (-margin, margin))
    below = tuple(scores.refutes(at[0], at[1], 1, end, margin) for end in (-margin, margin))
    threshold = -np.log(alpha if asked == "not_worse" else alpha / 2)
    return _statement(
        asked,
        tuple(evidence >= threshold for evidence in above),
        tuple(evidence >= threshold for evidence in below),
    )


def _statement(asked: Asked, above: tuple[bool, ...], below: tuple[bool, ...]) -> Verdict:
    """What follows where the difference is above, or below, (-margin, margin)."""
    if asked == "not_worse":
        return "not_worse" if above[0] else "worse" if below[0] else "undecided"
    if above[0] and below[1]:
        return "equivalent"
    return "different" if below[0] or above[1] else "undecided"


def gate_caveats(n_topics: int, unjudged: Floats, modelled: bool, classic: bool = False) -> str:
    """Reasons not to rely on a row of a gate, joined by `; `.

    `unjudged` are the shares of what the measure looks at that were not judged, of both runs. A
    `classic` gate, which counts them as non-relevant, always has that caveat.

    >>> gate_caveats(10, np.array([0.0, 0.5]), True)
    'few topics; more than a third unjudged'
    """
    open_ = bool((unjudged > UNJUDGED + SCORE_NOISE).any())
    no_model = open_ and not modelled and not classic
    held = {FEW: n_topics < FEW_TOPICS, THIRD: open_, NO_MODEL: no_model, CLASSIC: classic}
    return "; ".join(caveat for caveat, holds in held.items() if holds)


EXIT: dict[Verdict, int] = {
    "not_worse": 0,
    "equivalent": 0,
    "worse": 1,
    "different": 1,
    "undecided": 3,
}


@dataclass(frozen=True)
class GateRow:
    """One measure over all topics, or a slice of them. None where something is not known.

    `ci_lower` and `ci_upper` allow for the sample of topics, `lower` and `upper` are the bounds
    over every completion of the judgments on these topics, `pred_lower` and `pred_upper` the 95%
    prediction interval on these topics; `combined_lower` and `combined_upper` allow for topics and
    unjudged documents. `verdict` is for topics in general, `on_these_topics` for these alone, and
    `certainty` says how settled the latter is. `anytime_lower` and `anytime_upper` are the
    anytime-valid interval on these topics, where a pool was sampled in batches.
    """

    measure: str
    slice: str
    difference: float | None
    ci_lower: float | None
    ci_upper: float | None
    lower: float | None
    upper: float | None
    likely_worse: float | None
    verdict: Verdict
    on_these_topics: Verdict
    certainty: Certainty
    caveats: str
    judge_next: str | None
    expected: float | None
    combined_lower: float | None
    combined_upper: float | None
    pred_lower: float | None
    pred_upper: float | None
    topics: int
    topics_needed: int | None
    judgments_needed: int | None
    anytime_lower: float | None = None
    anytime_upper: float | None = None

    @property
    def centre(self) -> float | None:
        """The difference that is expected, or as judged where none is."""
        return self.difference if self.expected is None else self.expected


@dataclass(frozen=True, eq=False)
class GateOutcome:
    """Who was asked about and how, the rows, and the documents to judge by order of worth.

    `documents` has the columns measure, topic, doc, worth, rank_baseline, rank_new. With
    `strict_slices` a slice that is worse makes the whole verdict worse. `unjudged_as` is lower if
    unjudged documents count as non-relevant.
    """

    baseline: str
    new: str
    margin: float
    confidence: float
    asked: Asked
    correction: Correction
    estimator: str | None
    rows: list[GateRow]
    documents: pl.DataFrame
    strict_slices: bool = False
    unjudged_as: GateUnjudgedAs | None = None

    @cached_property
    def verdict(self) -> Verdict:
        """worse (different) if one measure says so, undecided if one is, else not_worse."""
        said = [row.verdict for row in self.rows if row.slice == "all"]
        if self.strict_slices:
            said += [row.verdict for row in self.rows if EXIT[row.verdict] == 1]
        return max(said, key=lambda verdict: (EXIT[verdict] == 1, EXIT[verdict] == 3))

    @property
    def exit_code(self) -> int:
        """0 not worse, 1 worse, 3 undecided."""
        return EXIT[self.verdict]

    @cached_property
    def worst_slices(self) -> dict[str, str]:
        """For each measure the slice on which the new run does worst; empty without slices."""
        known = [
            (row.centre, row) for row in self.rows if row.slice != "all" and row.centre is not None
        ]
        worst: dict[str, str] = {}
        # Of equals the first.
        for _, row in sorted(known, key=lambda each: each[0]):
            worst.setdefault(row.measure, row.slice)
        return {row.measure: worst[row.measure] for row in self.rows if row.measure in worst}


@dataclass(frozen=True, eq=False)
class Deciding:
    """Unjudged pairs of two runs, those first whose judgment says most about their difference.

    `worth` is how far a judgment moves the mean difference: one standard deviation of what the
    draws leave open of it.
    """

    pair: Int64s
    worth: Floats
    topic: Int64s

    @classmethod
    def of(cls, run_pair: RunPair, measure: Measure, topics: Bools) -> "Deciding":
        """|cov(difference on the topic, grade)| / sd(grade) / number of topics, over the draws."""
        drawn = run_pair.drawn
        difference = np.nan_to_num(run_pair.drawn_differences(measure))
        topic = run_pair.runs.pairs.topic[drawn.pair].astype(np.int64)
        listed = np.zeros(len(run_pair.runs.pairs), np.bool_)
        listed[run_pair.runs.pair] = True
        some = np.flatnonzero(topics[topic] & listed[drawn.pair])
        grade = drawn.drawn[some].T.astype(np.float64)
        grade -= grade.mean(axis=0)
        own = (difference - difference.mean(axis=0))[:, topic[some]]
        spread = np.sqrt((grade**2).mean(axis=0))
        moved = np.abs((own * grade).mean(axis=0))
        worth = np.divide(moved, spread, out=np.zeros(len(some)), where=spread > 0)
        worth /= max(1, int(topics.sum()))
        # Pairs are in the order of their names, which settles ties.
        order = np.argsort(-np.round(worth, 12), kind="stable")
        order = order[worth[order] > 0]
        return cls(drawn.pair[some][order], worth[order], topic[some][order])

    def frame(self, run_pair: RunPair) -> pl.DataFrame:
        """Columns topic, doc, worth, rank_baseline, rank_new; a rank is null beyond the depth."""
        topic, doc = run_pair.runs.pairs.names(self.pair)
        runs = run_pair.runs
        ranks = {}
        for number, name in enumerate(("rank_baseline", "rank_new")):
            at = np.zeros(len(runs.pairs), np.int64)
            own = runs.entries.run == number
            at[runs.pair[own]] = runs.entries.rank[own]
            rank = pl.Series(at[self.pair])
            ranks[name] = pl.select(pl.when(rank > 0).then(rank)).to_series()
        text = {"topic": pl.Series(topic, dtype=pl.String), "doc": pl.Series(doc, dtype=pl.String)}
        return pl.DataFrame({**text, "worth": self.worth, **ranks})


def judgments_until(
    difference: MeanDifference, deciding: Deciding, margin: float, confidence: float, asked: Asked
) -> int | None:
    """Judgments, by order of worth, after which the verdict is to be expected; None if never.

    None too if unjudged documents count as non-relevant: judgments may then move the difference
    either way.

    With a model the mean difference stays where it is expected, and each judgment takes the square
    of its worth from the variance. Without one, documents turn out worthless, and each takes its
    share of what its topic leaves open.
    """
    n = len(deciding.worth)
    if difference.classic:
        return None
    if difference.drawn is None:

        def after(judged: int) -> bool:
            left = _left_open(difference.differences, deciding, judged)
            return _decided(WorstCompletion(left).bounds(confidence), margin, asked)

        return _first(after, n)
    both = TopicVariance.of_draws(difference.drawn)
    gone = np.append(0.0, (deciding.worth**2).cumsum())
    between = float(moments(difference.drawn)[1].var(ddof=1))

    def enough(judged: int) -> bool:
        error = np.sqrt(both.error**2 - min(between, gone[judged]))
        left = TopicVariance(both.centre, float(error), both.freedom)
        return _decided(left.bounds(confidence), margin, asked)

    return _first(enough, n)


def topics_until(
    difference: MeanDifference, margin: float, confidence: float, asked: Asked
) -> int | None:
    """Topics like these on which the verdict would come four times out of five; None if unknown."""
    drawn, bounds = difference.drawn, difference.differences
    if drawn is not None or difference.classic:
        known = difference.chance if drawn is None else TopicVariance.of_draws(drawn)
        ends = (known,) * 2
    else:
        # Any grade is allowed for, so a topic counts with the end that speaks against a verdict.
        ends = TopicVariance.of(bounds.lower), TopicVariance.of(bounds.upper)
    effect = max(_effects(*ends, difference.n_topics, margin, asked), default=0.0)
    if not effect > 0:
        return None
    needed = topics_needed(np.array([effect]), 1 - confidence, 1)[0]
    return None if np.isnan(needed) else int(needed)


def _effects(
    low: TopicVariance, high: TopicVariance, n: int, margin: float, asked: Asked
) -> list[float]:
    """For each possible verdict, how far the mean lies on its side, in standard deviations."""

    def apart(ahead: float, chance: TopicVariance) -> float:
        deviation = chance.error * np.sqrt(n)
        return ahead / deviation if deviation > 0 else 0.0

    above, below = apart(low.centre + margin, low), apart(-margin - high.centre, high)
    if asked == "not_worse":
        return [above, below]
    inside = min(above, apart(margin - high.centre, high))
    return [inside, below, apart(low.centre - margin, low)]


def _decided(bounds: tuple[float, float], margin: float, asked: Asked) -> bool:
    least, most = bounds
    if asked == "not_worse":
        return least > -margin or most < -margin
    return (least > -margin and most < margin) or most < -margin or least > margin


def _left_open(differences: TopicDifferences, deciding: Deciding, judged: int) -> TopicDifferences:
    """The certain intervals once so many documents turned out worthless."""
    n = len(differences.value)
    total = np.bincount(deciding.topic, deciding.worth, n)
    gone = np.bincount(deciding.topic[:judged], deciding.worth[:judged], n)
    share = np.divide(total - gone, total, out=np.ones(n), where=total > 0)
    value = differences.value
    lower = np.where(
        np.isnan(value), differences.lower, value - share * (value - differences.lower)
    )
    upper = np.where(
        np.isnan(value), differences.upper, value + share * (differences.upper - value)
    )
    return TopicDifferences(value, lower, upper)


def _first(enough: Callable[[int], bool], most: int) -> int | None:
    """The least number for which it is enough, if it is for the most; by halves."""
    if not enough(most):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
