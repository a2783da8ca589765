"""All pairs of runs compared: differences, joint intervals, p-values, verdicts, tiers."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from leadline.comparison.bases import Basis, Outcome, set_against
from leadline.comparison.caveats import caveats
from leadline.comparison.correction import Correct, corrected
from leadline.comparison.details import details_of
from leadline.comparison.hypothesis_test import DEFAULT_TEST, Tails, Test, tests
from leadline.comparison.sureness import (
    CONFIDENCE,
    Sureness,
    chance_of_signs,
    score_posterior,
    sureness_of,
)
from leadline.comparison.tiers import By, ranked, stretches, tiers
from leadline.estimators.assisted_topics import assisted_by_topic
from leadline.estimators.evidence import Evidence
from leadline.estimators.score_model import ScorePosterior
from leadline.files.problems import Progress
from leadline.intervals.joint import Joint, joint_intervals
from leadline.measures.measure import Measure
from leadline.naming.choice import check_choice
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs
from leadline.tables.scores import SCORE_NOISE, Scores


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Pairs of runs by number; what is signed says first minus second.

    `lower` and `upper` are the ends of the joint interval of the difference of the scores.
    """

    runs: Runs
    judgments: Judgments
    measure: Measure
    scores: Scores
    joint: Joint
    outcome: Outcome
    test: str
    basis: Basis
    tails: Tails
    correct: Correct
    level: float
    first: Int64s
    second: Int64s
    p_corrected: Floats
    confidence: float = CONFIDENCE

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
            return (self.p_corrected < self.level) & self.outcome.supports

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
        return score_posterior(self.runs, self.judgments, self.measure)

    @cached_property
    def certainty(self) -> tuple[Sureness, ...]:
        """How settled `on_these_topics` is: certain, likely or open."""
        certain: Bools = self.joint.certain[self.first, self.second] | self._closed
        chance = np.full(len(certain), np.nan)
        if not certain.all() and self.posterior is not None:
            chance = chance_of_signs(self.posterior, self.first, self.second, self.difference)
        return sureness_of(certain, chance, self.confidence)

    @cached_property
    def on_these_topics(self) -> tuple[str, ...]:
        """Whether the first run is better, worse or equal once all listed documents are judged.

        Certain where the bounds of the difference say so, likely where a model says so with the
        probability asked for; undecided where `certainty` is open.
        """
        ahead = np.where(self.joint.certain[self.first, self.second], self.lower, self.difference)
        words = np.where(ahead > 0, "better", "worse")
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
        """run_a, run_b, measure, test, basis, difference, lower, upper, p, p_corrected, verdict,
        on_these_topics, certainty, caveats; with details also n_topics, effect, ci_lower,
        ci_upper, topics_needed, judgments_needed.
        """
        names = np.array(self.scores.runs, dtype=object)
        n = len(self.first)
        columns = {
            "run_a": pl.Series(names[self.first], dtype=pl.String),
            "run_b": pl.Series(names[self.second], dtype=pl.String),
            "measure": pl.repeat(self.scores.measure, n, dtype=pl.String, eager=True),
            "test": pl.repeat(self.test, n, dtype=pl.String, eager=True),
            "basis": pl.repeat(self.basis, n, dtype=pl.String, eager=True),
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
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

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
    basis: Basis = "base",
    tails: Tails = 2,
    correct: Correct = "holm",
    level: float = 0.05,
    seed: int = 0,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    contributing: Bools | None = None,
) -> Pairwise:
    """Every pair of runs, or every run with the baseline, compared by one measure and one test.

    Pairs come as the runs do, the earlier run first; with a baseline, it is the second. Only
    `contributing` runs, all without any, teach what the basis assisted estimates.
    """
    made = tests.parse(test) if isinstance(test, str) else test
    check_choice("basis", basis, Basis)
    check_choice("tails", tails, Tails)
    check_choice("correct", correct, Correct)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    if len(runs.names) < 2:
        raise ValueError(f"to compare takes two runs, found {len(runs.names)}: {runs.names[0]}")
    first, second = _pairs(runs.names, baseline)
    scores, estimated = measure.score(Lists.of(runs, judgments)).averaged(), None
    # Bounds start from what is judged, never from an estimate.
    joint = joint_intervals(runs, judgments, measure, scores)
    if basis == "assisted":
        estimated, mean = assisted_by_topic(
            Evidence(measure, runs, judgments, contributing=contributing)
        )
        scores = replace(scores, of_mean=mean, obtained="Assisted")
    random = np.random.default_rng(seed)
    outcome = set_against(scores, first, second, made, basis, tails, random, estimated)
    # Such a test has allowed for the number of pairs already.
    applied: Correct = "none" if made.familywise else correct
    return Pairwise(
        runs,
        judgments,
        measure,
        scores,
        joint,
        outcome,
        str(made),
        basis,
        tails,
        applied,
        level,
        first,
        second,
        corrected(outcome.p, applied),
        confidence,
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
