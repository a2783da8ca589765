"""All pairs of runs compared: differences, joint bounds, p-values, verdicts, tiers."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from leadline.completions.anytime import AnytimeScores, anytime_of
from leadline.completions.bounds import Joint, joint_intervals
from leadline.completions.estimator import TrainingData
from leadline.completions.sample import assisted_by_topic
from leadline.completions.winner import ScorePosterior
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.pool import SamplingRecord
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE, Scores
from leadline.io.parallel import current_workforce
from leadline.io.problems import Progress
from leadline.measures.measure import Measure
from leadline.registry import check_choice
from leadline.stats.certainty import (
    LIKELY,
    Certainty,
    certainty_of,
    chance_ahead,
    score_posterior,
)
from leadline.stats.power import details_of
from leadline.stats.significance import (
    DEFAULT_TEST,
    Correction,
    Tails,
    Test,
    corrected,
    moments,
    tests,
)

TOGETHER = 1000
"""Pairs of runs that one worker tests at a time, by one set of draws."""

UnjudgedAs = Literal["lower", "upper", "projected", "both-projected", "assisted"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Per pair: mean(first) - mean(second), what was tested, p, and whether it speaks for the lead.

    `rows` holds the differences that were tested, one column a topic, positive where they speak for
    the run that is ahead.
    """

    difference: Floats
    rows: Floats
    p: Floats
    supports: Bools


def set_against(
    scores: Scores,
    first: Int64s,
    second: Int64s,
    test: Test,
    unjudged_as: UnjudgedAs,
    tails: Tails,
    random: np.random.Generator,
    estimated: Floats | None = None,
) -> Outcome:
    """p for pairs of runs: the score of the one that is ahead against what the other is given.

    - lower: its score, in which unjudged documents are non-relevant
    - upper: the upper end of its interval, as if all its unjudged documents were perfect
    - projected: its projected score, as if they were as good as its judged ones
    - both-projected: the projected scores of both are compared
    - assisted: what is `estimated` of both [runs, topics] from judgments sampled at random

    Who is ahead is told by the means over the topics on which both have a score, and of equals by
    name. With one tail the alternative is that the run that is ahead is better.
    """
    mine, theirs = _tables(scores, unjudged_as) if estimated is None else (estimated, estimated)
    difference = row_means(mine[first] - mine[second])
    names = np.array(scores.runs)
    equal = ~(np.abs(difference) > SCORE_NOISE)
    ahead = np.where(equal, names[first] < names[second], difference > 0)
    better, other = np.where(ahead, first, second), np.where(ahead, second, first)
    rows = mine[better] - theirs[other]
    if test.row_by_row:
        p = p_of_rows(test, rows, tails, random)
    else:
        p = test.between(mine, theirs, better, other, tails, random)
    supports = row_means(rows) > 0
    if tails == 2 and not test.by_mean:
        # The mean may point one way and the ranks another: then nothing is shown.
        supports &= test.p(rows, 1, random) < 0.5
    return Outcome(difference, rows, p, supports)


def p_of_rows(test: Test, rows: Floats, tails: Tails, random: np.random.Generator) -> Floats:
    """p of each row of differences, by as many workers as there are.

    Each block of rows is tested with the same draws, which the state of `random` tells.
    """
    blocks = [rows[at : at + TOGETHER] for at in range(0, len(rows), TOGETHER)]
    if len(blocks) < 2:
        return test.p(rows, tails, random)
    parts = current_workforce().in_order(_p_of_block, (test, tails, random), blocks)
    return np.concatenate(list(parts))


def _p_of_block(shared: tuple[Test, Tails, np.random.Generator], rows: Floats) -> Floats:
    test, tails, random = shared
    return test.p(rows, tails, deepcopy(random))


def _tables(scores: Scores, unjudged_as: UnjudgedAs) -> tuple[Floats, Floats]:
    """The scores of the run that is ahead, and those of the other."""
    if unjudged_as == "lower":
        return scores.value, scores.value
    if np.isnan(scores.upper).all():
        raise ValueError(
            f"{scores.measure} has no interval here, so there is no {unjudged_as} score: "
            "use `unjudged_as` lower"
        )
    if unjudged_as == "upper":
        return scores.value, scores.upper
    with np.errstate(invalid="ignore"):
        moved = np.abs(scores.lower - scores.value) > SCORE_NOISE
        if moved.any() or (scores.upper > 1 + SCORE_NOISE).any():
            raise ValueError(
                f"{scores.measure} has no projected score, which is for measures from 0 to 1 whose "
                "lower end is the score itself (P, RBP, SDCG, ERR, ...): use `unjudged_as` lower "
                "or upper"
            )
    projected = scores.projected()
    return (projected, projected) if unjudged_as == "both-projected" else (scores.value, projected)


def row_means(rows: Floats) -> Floats:
    """Mean of each row's cells that are not NaN; NaN where there is none."""
    return moments(rows)[1]


FEW_TOPICS = 25
"""Fewer topics than this make orderings of runs unstable: Buckley and Voorhees, SIGIR 2000."""

UNJUDGED = 1 / 3

FLIP = "sign could flip"
SHORT = "lists end early"
FEW = "few topics"
THIRD = "more than a third unjudged"
CAVEATS = (FLIP, SHORT, FEW, THIRD)


def caveats(
    joint: Joint, first: Int64s, second: Int64s, difference: Floats, n_topics: Int64s
) -> tuple[str, ...]:
    """Return the caveats of each pair, joined by `; `; empty without any.

    - sign could flip: a completion of the judgments puts the other run ahead, or ahead of its equal
    - lists end early: what lies beyond the end of one run's lists outweighs the difference
    - few topics: fewer than 25
    - more than a third unjudged: of what the measure looks at, for one of the runs
    """
    size = np.abs(difference) + SCORE_NOISE
    lower, upper = joint.lower[first, second], joint.upper[first, second]

    def worse(each: Floats) -> Floats:
        found: Floats = np.maximum(each[first], each[second])
        return found

    with np.errstate(invalid="ignore"):
        up, down = upper > SCORE_NOISE, lower < -SCORE_NOISE
        ahead, behind = difference > SCORE_NOISE, difference < -SCORE_NOISE
        holds = {
            FLIP: (ahead & down) | (behind & up) | (~ahead & ~behind & (up | down)),
            SHORT: worse(joint.tail) > size,
            FEW: n_topics < FEW_TOPICS,
            THIRD: worse(joint.unjudged) > UNJUDGED + SCORE_NOISE,
        }
        # Runs with the same lists have the same score whatever is judged.
        alike = (lower == 0) & (upper == 0)
    for reason in (FLIP, SHORT):
        holds[reason] = holds[reason] & ~alike
    return tuple(
        "; ".join(reason for reason, each in holds.items() if each[row])
        for row in range(len(first))
    )


By = Literal["certainty", "significance"]

CUT = "a cut between tiers is no difference: neighbours across it may not be told apart"
"""What every list of tiers has to say."""


def tiers(order: Int64s, apart: Bools) -> Int64s:
    """The tier of each run, 1 the best; no two runs of a tier can be told apart.

    `order` has the runs, best first: see `ranked`. A run joins the tier before it if it cannot be
    told apart from any member of it, else it opens a new one: no other way of cutting the order
    needs fewer tiers. A run and its neighbour across a cut may still be indistinguishable: see
    `stretches`.
    `apart[a, b]` says whether a and b can be told apart.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> tiers(np.array([0, 1, 2]), apart).tolist()
    [1, 1, 2]
    """
    made = np.zeros(len(order), np.int64)
    begin, tier = 0, 1
    for place, run in enumerate(order.tolist()):
        if apart[run, order[begin:place]].any():
            begin, tier = place, tier + 1
        made[run] = tier
    return made


def stretches(in_order: Int64s, apart: Bools) -> list[list[int]]:
    """The longest groups of neighbours, best first, in which no two can be told apart.

    They may overlap. These are the bars of a critical-difference diagram; single runs have none.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> stretches(np.array([0, 1, 2]), apart)
    [[0, 1], [1, 2]]
    """
    order = in_order.tolist()
    found: list[list[int]] = []
    furthest = 0
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and not apart[order[end], order[begin:end]].any():
            end += 1
        if end - begin > 1 and end > furthest:
            found.append(order[begin:end])
        furthest = max(furthest, end)
    return found


def ranked(mean: Floats, names: Sequence[str]) -> Int64s:
    """Runs by mean, best first; those without a mean last; equals by name.

    >>> ranked(np.array([0.2, np.nan, 0.2, 0.5]), ["b", "c", "a", "d"]).tolist()
    [3, 2, 0, 1]
    """
    return np.lexsort((np.array(names, np.str_), -np.nan_to_num(mean, nan=-np.inf)))


def places(mean: Floats) -> list[int | None]:
    """Place of each run, 1 the best; equals share the better place; None where there is no mean.

    >>> places(np.array([0.2, 0.5, 0.2, np.nan]))
    [2, 1, 2, None]
    """
    defined = mean[~np.isnan(mean)]
    return [None if np.isnan(own) else int((defined > own + SCORE_NOISE).sum()) + 1 for own in mean]


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Pairs of runs by number; what is signed says first minus second.

    `lower` and `upper` are the ends of the joint interval of the difference of the scores.
    `anytime` has the anytime-valid intervals of judgments that were sampled in batches.
    """

    runs: Runs
    judgments: Judgments
    measure: Measure
    scores: Scores
    joint: Joint
    outcome: Outcome
    test: str
    unjudged_as: UnjudgedAs
    tails: Tails
    correction: Correction
    alpha: float
    first: Int64s
    second: Int64s
    p_corrected: Floats
    likely: float = LIKELY
    contributing: Bools | None = None
    anytime: AnytimeScores | None = None
    anytime_ends: tuple[Floats, Floats] | None = None

    @property
    def difference(self) -> Floats:
        """Mean of the first run minus mean of the second."""
        return self.outcome.difference

    @property
    def lower(self) -> Floats:
        """The least that the difference can become."""
        ends: Floats = self.joint.lower[self.first, self.second]
        return ends

    @property
    def upper(self) -> Floats:
        """The most that the difference can become."""
        ends: Floats = self.joint.upper[self.first, self.second]
        return ends

    @property
    def null(self) -> str:
        """What the test puts to the test, in words; empty if it does not say."""
        return tests.parse(self.test).null

    @property
    def p(self) -> Floats:
        """Of each pair, not corrected."""
        return self.outcome.p

    @property
    def n_topics(self) -> Int64s:
        """Topics on which both runs have a score."""
        n: Int64s = (~np.isnan(self.outcome.rows)).sum(axis=1)
        return n

    @cached_property
    def significant(self) -> Bools:
        """Pairs in which the run that is ahead is better by the test."""
        with np.errstate(invalid="ignore"):
            return (self.p_corrected < self.alpha) & self.outcome.supports

    @property
    def discriminated(self) -> float:
        """Share of the pairs that are significantly different; NaN without pairs."""
        return float(self.significant.mean()) if len(self.first) else np.nan

    @cached_property
    def verdict(self) -> tuple[str, ...]:
        """better, worse or undecided by the test; equal if no topic differs and none can."""
        rows = np.nan_to_num(self.outcome.rows)
        with np.errstate(invalid="ignore"):
            closed = ~((np.abs(self.lower) > SCORE_NOISE) | (np.abs(self.upper) > SCORE_NOISE))
        same = (rows == 0).all(axis=1) & closed & (self.n_topics > 0)
        words = np.where(self.difference > 0, "better", "worse")
        words = np.where(self.significant, words, "undecided")
        return tuple(np.where(same, "equal", words).tolist())

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """Reasons not to rely on each pair, joined by `; `; empty without any."""
        return caveats(self.joint, self.first, self.second, self.difference, self.n_topics)

    @cached_property
    def posterior(self) -> ScorePosterior | None:
        """What a model of the judgments says of all scores; None where there is none."""
        return score_posterior(self.runs, self.judgments, self.measure, self.contributing)

    @cached_property
    def certainty(self) -> tuple[Certainty, ...]:
        """How settled `on_these_topics` is: certain, likely or open."""
        certain: Bools = self.joint.certain[self.first, self.second] | self._closed
        return certainty_of(certain, self._ahead, self.likely)

    @cached_property
    def _ahead(self) -> Floats:
        """The probability that the first run is better on these topics; NaN without a model."""
        if self.posterior is None:
            return np.full(len(self.first), np.nan)
        return chance_ahead(self.posterior, self.first, self.second)

    @cached_property
    def on_these_topics(self) -> tuple[str, ...]:
        """Whether the first run is better, worse or equal once all listed documents are judged.

        Certain where the bounds of the difference say so, likely where a model says so with the
        probability asked for; undecided where `certainty` is open.
        """
        certain = self.joint.certain[self.first, self.second]
        words = np.where(np.where(certain, self.lower, self._ahead - 0.5) > 0, "better", "worse")
        words = np.where(np.array(self.certainty) == "open", "undecided", words)
        return tuple(np.where(self._closed, "equal", words).tolist())

    @property
    def _closed(self) -> Bools:
        """Pairs whose difference is 0 in every completion."""
        with np.errstate(invalid="ignore"):
            closed: Bools = (np.abs(self.lower) <= SCORE_NOISE) & (
                np.abs(self.upper) <= SCORE_NOISE
            )
        return closed

    def frame(self, details: bool = False, progress: Progress | None = None) -> pl.DataFrame:
        """run_a, run_b, measure, test, unjudged_as, difference, lower, upper, p, p_corrected,
        verdict, on_these_topics, certainty, caveats; with details also n_topics, effect, ci_lower,
        ci_upper, topics_needed, judgments_needed; anytime_lower and anytime_upper where judgments
        were sampled in batches.
        """
        names = np.array(self.scores.runs, dtype=object)
        n = len(self.first)
        columns = {
            "run_a": pl.Series(names[self.first], dtype=pl.String),
            "run_b": pl.Series(names[self.second], dtype=pl.String),
            "measure": pl.repeat(self.scores.measure, n, dtype=pl.String, eager=True),
            "test": pl.repeat(self.test, n, dtype=pl.String, eager=True),
            "unjudged_as": pl.repeat(self.unjudged_as, n, dtype=pl.String, eager=True),
            "difference": self.difference,
            "lower": self.lower,
            "upper": self.upper,
            "p": self.p,
            "p_corrected": self.p_corrected,
            "verdict": pl.Series(self.verdict, dtype=pl.String),
            "on_these_topics": pl.Series(self.on_these_topics, dtype=pl.String),
            "certainty": pl.Series(self.certainty, dtype=pl.String),
            "caveats": pl.Series(self.caveats, dtype=pl.String),
        }
        if details:
            columns |= details_of(self, progress)
        if self.anytime is not None:
            ends = self.anytime_ends or self.anytime.interval(self.first, self.second)
            least, most = ends
            columns["anytime_lower"] = np.maximum(least, self.lower)
            columns["anytime_upper"] = np.minimum(most, self.upper)
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def with_anytime_ends(self, progress: Progress | None = None) -> "Pairwise":
        """Return the same with both ends of all anytime-valid intervals, which take a while."""
        if self.anytime is None:
            return self
        ends = self.anytime.interval(self.first, self.second, progress)
        return replace(self, anytime_ends=ends)

    def matrix(self, column: str) -> Floats:
        """A column of `frame` as runs x runs, NaN where there is no pair.

        Below the diagonal stands what the pair says the other way round: the difference with the
        other sign, ends of intervals swapped.
        """
        n = len(self.scores.runs)
        made = np.full((n, n), np.nan)
        turned = {"lower": "upper", "upper": "lower"}.get(column, column)
        sign = -1.0 if column in ("difference", "lower", "upper") else 1.0
        made[self.second, self.first] = sign * getattr(self, turned)
        made[self.first, self.second] = getattr(self, column)
        return made

    def apart(self, by: By) -> Bools:
        """runs x runs: whether two runs can be told apart, by the judgments or by the test.

        Only tested pairs can be told apart by the test: see `all_tested`.
        """
        if by == "certainty":
            return self.joint.certain
        made = np.zeros((len(self.scores.runs),) * 2, np.bool_)
        made[self.first, self.second] = made[self.second, self.first] = self.significant
        return made

    @property
    def order(self) -> Int64s:
        """Runs by mean, best first; those without a mean last; equals by name."""
        return ranked(self.scores.mean(), self.scores.runs)

    @property
    def all_tested(self) -> bool:
        """Whether every pair of runs was tested; with a baseline, only its own pairs are."""
        n = len(self.scores.runs)
        return len(self.first) == n * (n - 1) // 2

    def level_runs(self, by: By) -> list[list[int]]:
        """The longest groups of neighbours, best first, in which no two can be told apart."""
        return stretches(self.order, self.apart(by))

    def tiers(self, by: By) -> Int64s | None:
        """The tier of each run, 1 the best: runs of a tier cannot be told apart.

        None by significance where a baseline left pairs untested: nothing joins or parts them.
        """
        if by == "significance" and not self.all_tested:
            return None
        return tiers(self.order, self.apart(by))

    def tier_frame(self) -> pl.DataFrame:
        """run, measure, value, lower, upper, tier_certainty, tier_significance; best first.

        tier_significance is null where not all pairs were tested.
        """
        made = self.scores.frame(per_topic=False).drop("topic", "judged")
        significance = self.tiers("significance")
        unknown = pl.repeat(None, len(made), dtype=pl.Int64, eager=True)
        return made.with_columns(
            tier_certainty=pl.Series(self.tiers("certainty")),
            tier_significance=unknown if significance is None else pl.Series(significance),
        )[self.order]


def compare_pairs(
    runs: Runs,
    judgments: Judgments,
    measure: Measure,
    *,
    test: str | Test = DEFAULT_TEST,
    unjudged_as: UnjudgedAs = "lower",
    tails: Tails = 2,
    correction: Correction = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    baseline: str | None = None,
    likely: float = LIKELY,
    contributing: Bools | None = None,
    record: SamplingRecord | None = None,
    lists: Lists | None = None,
) -> Pairwise:
    """Every pair of runs, or every run with the baseline, compared by one measure and one test.

    Pairs come as the runs do, the earlier run first; with a baseline, it is the second. Only
    `contributing` runs, all without any, teach what unjudged documents are worth. `record` tells
    how judgments were sampled in batches. `lists` are needed by a measure that is scored from
    subtopics or texts.
    """
    made = tests.parse(test) if isinstance(test, str) else test
    check_choice("unjudged_as", unjudged_as, UnjudgedAs)
    check_choice("tails", tails, Tails)
    check_choice("correction", correction, Correction)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    if not 0 < likely < 1:
        raise ValueError(f"likely must lie between 0 and 1, not {likely}")
    if len(runs.names) < 2:
        raise ValueError(f"to compare takes two runs, found {len(runs.names)}: {runs.names[0]}")
    first, second = _pairs(runs.names, baseline)
    lists = Lists.of(runs, judgments) if lists is None else lists
    scores, estimated = measure.score(lists).averaged(), None
    # Bounds start from what is judged, never from an estimate.
    joint = joint_intervals(runs, judgments, measure, scores)
    if unjudged_as == "assisted":
        estimated, mean = assisted_by_topic(
            TrainingData(measure, runs, judgments, contributing=contributing)
        )
        scores = replace(scores, of_mean=mean, obtained="ModelAssisted")
    random = np.random.default_rng(seed)
    outcome = set_against(scores, first, second, made, unjudged_as, tails, random, estimated)
    # Such a test has allowed for the number of pairs already.
    applied: Correction = "none" if made.familywise else correction
    return Pairwise(
        runs,
        judgments,
        measure,
        scores,
        joint,
        outcome,
        str(made),
        unjudged_as,
        tails,
        applied,
        alpha,
        first,
        second,
        corrected(outcome.p, applied),
        likely,
        contributing,
        anytime_of(runs, judgments, measure, record),
    )


def _pairs(names: tuple[str, ...], baseline: str | None) -> tuple[Int64s, Int64s]:
    if baseline is None:
        first, second = np.triu_indices(len(names), 1)
        return first.astype(np.int64), second.astype(np.int64)
    if baseline not in names:
        some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        raise ValueError(f"no run is named {baseline}, the baseline: there are {some}")
    others = np.flatnonzero(np.array(names, dtype=object) != baseline)
    return others, np.full(len(others), names.index(baseline), np.int64)
