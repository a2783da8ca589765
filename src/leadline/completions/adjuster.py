"""What every adjuster is: what to add to the scores of unpooled runs, with its error."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from leadline.completions.estimator import TrainingData
from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.runs import UNRANKED, Runs
from leadline.data.scores import Scores
from leadline.io.parallel import current_workforce
from leadline.io.problems import Progress
from leadline.pooling.without import BestRanks, DrawnPool
from leadline.registry import Named, Registry


@dataclass(frozen=True, eq=False, kw_only=True)
class UnpooledRuns(TrainingData):
    """Evidence, how the pool was drawn from the contributing runs, and which runs are `new`.

    These are all the others without it. Judgments of documents outside the pool count, and are
    never withdrawn. `reference` judgments and the `common` topics that they hold for are what
    WebberTopics learns from.
    """

    drawn: DrawnPool
    new: Bools | None = None
    reference: Judgments | None = None
    common: Bools | None = None

    @cached_property
    def new_names(self) -> tuple[str, ...]:
        """The names of the runs to be corrected."""
        return self.new_runs(1).names

    def new_runs(self, depth: int | None = None) -> Runs:
        """The runs to be corrected, their lists cut to a depth."""
        return self.runs.only(~self.pooled_runs.mask if self.new is None else self.new, depth)

    @property
    def n_topics(self) -> int:
        """All of them, whatever is judged."""
        return len(self.runs.pairs.topics)

    @property
    def evaluation_depth(self) -> int | None:
        """How deep lists must be for the measure; None for whole lists, as condensed ones need."""
        return None if self.measure.judged_only else self.measure.depth

    @cached_property
    def best_ranks(self) -> BestRanks:
        """Best ranks over the contributing runs, and without each, as deep as pairs are drawn."""
        return self.pooled_runs.best_ranks(self.drawn.depth)

    def new_ranks(self) -> Iterator[Int32s]:
        """The rank of every pair in one new run after the other."""
        runs = self.new_runs()
        for run in range(len(runs.names)):
            ranks = np.full(len(runs.pairs), UNRANKED, np.int32)
            mine = slice(runs.start[run, 0], runs.stop[run, -1])
            ranks[runs.pair[mine]] = runs.entries.rank[mine]
            yield ranks

    @cached_property
    def lists(self) -> Lists:
        """The contributing runs' lists as the judgments see them."""
        return Lists.of(self.pooled_runs.runs.cut(self.evaluation_depth), self.judgments)

    @cached_property
    def pooled(self) -> Floats:
        """[contributing runs, topics]: the scores of these lists."""
        return self.measure.score(self.lists).value

    def new_lists(self, judgments: Judgments | None = None) -> Lists:
        """The new runs' lists as the judgments see them, or as others do."""
        known = self.judgments if judgments is None else judgments
        return Lists.of(self.new_runs(self.evaluation_depth), known)

    @cached_property
    def alone(self) -> Bools:
        """Judged pairs that would not be, had the run with the best rank stayed away."""
        ranks = self.best_ranks
        inside, left = self.drawn.member(ranks.best), self.drawn.member(ranks.second)
        lost: Bools = self.judgments.judged & inside & ~left
        return lost

    def withdrawn(self, replaced_by: Int32s | None = None) -> Lists:
        """Every contributing run's lists as judgments see them that lack what only it pooled.

        With `replaced_by`, the rank of every pair in a new run, that run takes its place in the
        pool: what it returns above the pool's depth stays judged.
        """
        ranks, known, lost = self.best_ranks, self.judgments, self.alone
        if replaced_by is not None:
            lost = lost & ~self.drawn.member(np.minimum(ranks.second, replaced_by))
        runs = self.pooled_runs.runs.cut(self.evaluation_depth)
        gone = lost[runs.pair] & (ranks.holder[runs.pair] == runs.entries.run)
        whole = self.lists
        pair = np.flatnonzero(lost)
        shape = (len(runs.names), self.n_topics, known.max_grade + 1)
        cell = np.ravel_multi_index(
            (ranks.holder[pair], runs.pairs.topic[pair], known.grade[pair]), shape
        )
        missing = np.bincount(cell, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
        return Lists(
            whole.runs,
            whole.topics,
            whole.start,
            whole.stop,
            whole.judged & ~gone,
            np.where(gone, np.int16(0), whole.grade),
            whole.counts - missing,
            known.max_grade,
        )


MANY_UNJUDGED = 1 / 3


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Mean scores of new runs as they are and corrected, with an interval for each.

    `lower` and `upper` are the guaranteed bounds of the complete score, NaN for a measure that has
    none. `pred_lower` and `pred_upper` are the 95% prediction interval; it and `standard_error` are
    NaN together, where nothing could be learnt of the error.
    `unjudged` is the share of a run's ranks, as deep as the measure looks, that nobody judged.
    `doubts` holds the reasons not to rely on a run's row, `assumed` what the adjuster takes for
    granted and what its corrections are made of.
    """

    runs: tuple[str, ...]
    measure: str
    adjuster: str
    unadjusted: Floats
    adjustment: Floats
    standard_error: Floats
    lower: Floats
    upper: Floats
    pred_lower: Floats
    pred_upper: Floats
    unjudged: Floats
    doubts: tuple[tuple[str, ...], ...]
    assumed: tuple[str, ...]

    @property
    def adjusted(self) -> Floats:
        """Return the corrected scores."""
        total: Floats = self.unadjusted + self.adjustment
        return total


def unjudged_share(evidence: UnpooledRuns) -> Floats:
    """The share of each new run's listed documents, as deep as the measure looks, unjudged."""
    runs = evidence.new_runs(evidence.measure.depth)
    n = runs.length.sum(axis=1)
    open_ = ~evidence.judgments.judged[runs.pair]
    n_open = np.bincount(runs.entries.run[open_], minlength=len(n))
    share: Floats = np.divide(n_open, n, out=np.zeros(len(n)), where=n > 0)
    return share


def unjudged_doubts(share: float) -> list[str]:
    """A reason not to rely on a run's row where that share of its ranks is too large."""
    return [f"{share:.0%} of its ranks are unjudged"] if share > MANY_UNJUDGED else []


def inside_certain(low: Floats, high: Floats, certain: Scores) -> tuple[Floats, Floats]:
    """Intervals of means cut to the bounds; as they are where there are none, NaN where NaN."""
    lower, upper = certain.mean_lower(), certain.mean_upper()
    # fmax and fmin pass over the NaN of a measure that has no bounds.
    inside = np.fmin(np.fmax(low, lower), upper), np.fmax(np.fmin(high, upper), lower)
    withheld = np.isnan(low) | np.isnan(high)
    return np.where(withheld, np.nan, inside[0]), np.where(withheld, np.nan, inside[1])


@dataclass(frozen=True, eq=False)
class RunDifferences:
    """Complete mean scores of runs as a model expects them, the first `n_new` of runs that are new.

    Told are the differences of every two runs of which one is new at least. `doubts` holds the
    reasons not to rely on what is said of a new run.
    """

    runs: tuple[str, ...]
    n_new: int
    measure: str
    adjuster: str
    means: MeanEstimate
    doubts: tuple[tuple[str, ...], ...]

    @cached_property
    def pairs(self) -> tuple[Int64s, Int64s]:
        """The two runs of every difference: new ones in the order given, then pooled ones."""
        first, second = np.triu_indices(len(self.runs), 1)
        some = first < self.n_new
        return first[some], second[some]

    @property
    def difference(self) -> Floats:
        """The first run's score minus the second's."""
        first, second = self.pairs
        gap: Floats = self.means.value[first] - self.means.value[second]
        return gap

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair.

        Columns: run_a, run_b, measure, adjuster, difference, standard_error, pred_lower,
        pred_upper, caveats.
        What two runs share moves both, and counts for nothing. The prediction interval is one of
        95%. caveats are reasons not to rely on the row.
        """
        first, second = ([self.runs[run] for run in side] for side in self.pairs)
        gap = self.difference
        error, low, high = self.means.differences(*self.pairs)
        return pl.DataFrame(
            {
                "run_a": first,
                "run_b": second,
                "measure": [self.measure] * len(gap),
                "adjuster": [self.adjuster] * len(gap),
                "difference": gap,
                "standard_error": error,
                "pred_lower": low,
                "pred_upper": high,
                "caveats": self.caveats(),
            }
        )

    def caveats(self) -> list[str]:
        """Empty, or why not to rely on a difference."""
        own = [
            "; ".join(f"{run}: {reason}" for reason in reasons)
            for run, reasons in zip(self.runs, self.doubts, strict=False)
        ]
        own += [""] * (len(self.runs) - len(own))
        return ["; ".join(filter(None, (own[a], own[b]))) for a, b in zip(*self.pairs, strict=True)]


@dataclass(frozen=True, eq=False)
class GroupsInTurn:
    """What is needed to take any pooled group for new.

    Nothing is pooled again: judgments that only the group brought are withdrawn.
    """

    evidence: UnpooledRuns
    ranks: BestRanks
    inside_now: Bools

    @classmethod
    def of(cls, evidence: UnpooledRuns) -> "GroupsInTurn":
        """The groups of the contributing runs."""
        pooled, drawn = evidence.pooled_runs.runs, evidence.drawn
        ranks = BestRanks.of(pooled.cut(drawn.depth), pooled.group_number)
        return cls(evidence, ranks, drawn.member(ranks.best))

    def new(self, group: int) -> tuple[UnpooledRuns, Bools]:
        """The evidence with that group's runs as the new ones, and which pairs it withdrew."""
        evidence = self.evidence
        pooled = evidence.pooled_runs.runs
        mine = pooled.group_number == group
        lost = self.inside_now & ~evidence.drawn.member(self.ranks.without(group))
        judgments = evidence.judgments.only(~lost)
        left = evidence.but(runs=pooled, contributing=~mine, new=mine, judgments=judgments)
        return left, lost & evidence.judgments.judged


def errors(
    adjuster: "Adjuster", evidence: UnpooledRuns, progress: Progress | None = None
) -> Floats:
    """Adjusted minus pooled score of every pooled run, when its group is left out of the pool."""
    pooled = evidence.pooled_runs.runs
    unit, n_groups = pooled.group_number, len(pooled.groups)
    if n_groups < 2:
        return np.zeros(0)
    truth = evidence.measure.score(evidence.lists).mean()
    wrong = np.full(len(pooled.names), np.nan)
    shared = adjuster, GroupsInTurn.of(evidence)
    with closing(current_workforce().results(_scored, shared, range(n_groups))) as coming:
        for n_done, (group, scores) in enumerate(coming, 1):
            wrong[unit == group] = scores - truth[unit == group]
            if progress is not None:
                progress(n_done, n_groups)
    known: Floats = wrong[~np.isnan(wrong)]
    return known


def _scored(shared: tuple["Adjuster", GroupsInTurn], group: int) -> Floats:
    """The adjusted scores of a group's runs when it is left out of the pool."""
    adjuster, groups = shared
    left, _ = groups.new(group)
    unadjusted: Floats = left.measure.score(left.new_lists()).mean()
    return unadjusted + adjuster.amounts(left)


def half_width(error: Floats, level: float = 0.95) -> float:
    """The distance within which the truth lies for that share of the runs; NaN of one error.

    The ceil((m + 1) * level)-th smallest of the m absolute errors: for a run that is like the
    pooled ones, this holds exactly that often or more. Where there are too few (below 19 for 95%),
    Student's t times the root mean square of the errors.

    >>> half_width(np.array([0.1, -0.3, 0.2]), 0.5), half_width(np.array([0.1]))
    (0.2, nan)
    """
    m = len(error)
    place = int(np.ceil((m + 1) * level))
    if place <= m:
        return float(np.sort(np.abs(error))[place - 1])
    if m < 2:
        return float("nan")
    from scipy import stats

    return float(stats.t.ppf((1 + level) / 2, m - 1) * np.sqrt((error**2).mean()))


FEW_RUNS = 19


class Adjuster(Named):
    """A frozen dataclass with fields as parameters; a subclass says what it adds to each run.

    `needs_common` marks those that learn from common topics, `takes_reference` those that accept
    reference judgments there, and `joint` those in which ranks of other new runs count too.
    """

    needs_common: ClassVar[bool] = False
    takes_reference: ClassVar[bool] = False
    joint: ClassVar[bool] = False

    def check(self, evidence: UnpooledRuns) -> None:
        """A ValueError if it cannot correct this measure, or has nothing to learn from."""

    @abstractmethod
    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """What to add to the mean score of each new run."""

    @abstractmethod
    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """What is assumed, and what the correction is made of."""

    def adjust(
        self,
        evidence: UnpooledRuns,
        *,
        random: np.random.Generator | None = None,
        progress: Progress | None = None,
    ) -> Adjusted:
        """The new runs' mean scores, corrected, each with an interval."""
        self.check(evidence)
        return self.corrected(evidence, random or np.random.default_rng(0), progress)

    def differences(
        self, evidence: UnpooledRuns, adjusted: Adjusted, random: np.random.Generator
    ) -> RunDifferences:
        """How far the new runs lie from each other and from the pooled ones, with errors.

        `adjusted` is what `adjust` gave for this evidence. A ValueError from an adjuster that does
        not know how errors go together.
        """
        raise ValueError(f"{self} gives no error of differences: use Regression")

    def corrected(
        self, evidence: UnpooledRuns, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """What `adjust` gives; an adjuster that knows its own error overrides this.

        A run whose documents are all judged needs no correction and gets none. Each pooled group is
        taken for new in turn, and the interval holds as many of the errors seen as it promises, but
        reaches never beyond the bounds.
        """
        if not len(evidence.pooled_runs):
            raise ValueError("there is no pooled run to learn from")
        scores = evidence.measure.score(evidence.new_lists())
        share = unjudged_share(evidence)
        complete = share == 0
        unadjusted = scores.mean()
        amount = np.where(complete, 0.0, self.amounts(evidence))
        wrong = errors(self, evidence, progress)
        width = half_width(wrong)
        error = float(np.sqrt((wrong**2).mean())) if len(wrong) else float("nan")
        middle = unadjusted + amount
        lower, upper = scores.mean_lower(), scores.mean_upper()
        doubts: list[tuple[str, ...]] = []
        for run in range(len(scores.runs)):
            reasons = unjudged_doubts(share[run])
            if not complete[run] and len(wrong) < FEW_RUNS:
                reasons.append(f"only {len(wrong)} pooled runs to learn the interval from")
            if not complete[run] and (reached := short_of_complete(evidence)):
                reasons.append(
                    f"its interval is of the score by a pool {reached}, not of the complete score: "
                    "Regression's is"
                )
            if not lower[run] - 1e-9 <= middle[run] <= upper[run] + 1e-9:
                reasons.append(
                    f"outside the bounds: the score is in [{lower[run]:.4f}, {upper[run]:.4f}]"
                )
            doubts.append(tuple(reasons))
        # Where there is no interval there is no error either.
        error = np.nan if np.isnan(width) else error
        low, high = inside_certain(middle - width, middle + width, scores)
        return Adjusted(
            scores.runs,
            str(evidence.measure),
            str(self),
            unadjusted,
            amount,
            np.where(complete, 0.0, error),
            lower,
            upper,
            np.where(complete, unadjusted, low),
            np.where(complete, unadjusted, high),
            share,
            tuple(doubts),
            (*self.explain(evidence), *_of_errors(wrong), *_of_complete(complete)),
        )


def without_interval(adjuster: Adjuster, evidence: UnpooledRuns) -> Adjusted:
    """The new runs' mean scores, corrected, for an adjuster of whose error nothing is known."""
    scores = evidence.measure.score(evidence.new_lists())
    share, unadjusted = unjudged_share(evidence), scores.mean()
    amount = np.where(share == 0, 0.0, adjuster.amounts(evidence))
    nothing = np.full(len(unadjusted), np.nan)
    return Adjusted(
        scores.runs,
        str(evidence.measure),
        str(adjuster),
        unadjusted,
        amount,
        nothing,
        scores.mean_lower(),
        scores.mean_upper(),
        nothing,
        nothing,
        share,
        tuple(tuple(unjudged_doubts(each)) for each in share),
        tuple(adjuster.explain(evidence)),
    )


adjusters: Registry[Adjuster] = Registry("adjuster", "leadline.completions")


def short_of_complete(evidence: UnpooledRuns) -> str:
    """Return how the pool falls short of what the measure looks at; empty where it does not."""
    seen, layers = evidence.evaluation_depth, evidence.drawn.strategy.layers
    if seen is None or seen > evidence.drawn.depth:
        return f"of depth {evidence.drawn.depth}"
    above = [sum(size for size, _ in layers[:n]) for n in range(len(layers))]
    sampled = [
        rate for start, (_, rate) in zip(above, layers, strict=True) if start < seen and rate < 1
    ]
    return f"sampled at a rate of {min(sampled):g}" if sampled else ""


def _of_errors(wrong: Floats) -> list[str]:
    if not len(wrong):
        return [
            "all pooled runs are of one group, so the error of the correction cannot be estimated"
        ]
    return [
        f"taken for new, group by group, {len(wrong)} pooled runs come out "
        f"{np.abs(wrong).mean():.4f} off on average ({wrong.mean():+.4f} with the sign)"
    ]


def _of_complete(complete: Bools) -> list[str]:
    n = int(complete.sum())
    if not n:
        return []
    which = "all new runs have" if n == len(complete) else f"{n} of the new runs have"
    return [f"{which} no unjudged document as deep as the measure looks: their correction is 0"]
