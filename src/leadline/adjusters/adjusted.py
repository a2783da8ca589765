"""Scores of new runs put right: the correction, its error, and the reasons not to trust it."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjuster import Adjuster, Progress, evaluation_depth
from leadline.adjusters.calibration import errors, half_width
from leadline.adjusters.from_topics import Topics, both_scores, from_topics, open_weight, reach
from leadline.adjusters.pool_bias import PoolBias, inside
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Floats
from leadline.tables.lists import Lists

FEW_TOPICS = 10
FEW_RUNS = 19
MANY_UNJUDGED = 1 / 3


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Mean scores of new runs as they are and put right, with an interval for each.

    NaN in `standard_error`, `lower` and `upper` means that nothing could be learnt of the error.
    `unjudged` is the share of a run's ranks, as deep as the measure looks, that nobody judged.
    `doubts` holds the reasons not to trust a run's row, `assumed` what the adjuster takes for
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
    unjudged: Floats
    doubts: tuple[tuple[str, ...], ...]
    assumed: tuple[str, ...]

    @property
    def adjusted(self) -> Floats:
        """The scores put right."""
        total: Floats = self.unadjusted + self.adjustment
        return total


def adjust_scores(
    adjuster: Adjuster,
    measure: Measure,
    case: PoolBias,
    *,
    random: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> Adjusted:
    """The new runs' mean scores, corrected.

    A run whose documents are all judged needs no correction and gets none. Topics knows its own
    error; for the other adjusters each pooled group is taken for new in turn, and the interval
    holds as many of the errors seen as it promises. Where judgments can be trusted, no interval
    reaches beyond what is certain.
    """
    adjuster.check(measure, case)
    scores = measure.score(case.new_lists(evaluation_depth(measure)))
    share = unjudged_share(case, measure)
    if isinstance(adjuster, Topics):
        return _by_topics(adjuster, measure, case, share, random or np.random.default_rng(0))
    if not case.field.pooled.names:
        raise ValueError("there is no pooled run to learn from")
    unadjusted = scores.mean()
    complete = share == 0
    amount = np.where(complete, 0.0, adjuster.amounts(measure, case))
    wrong = errors(adjuster, measure, case, progress)
    width = half_width(wrong)
    error = float(np.sqrt((wrong**2).mean())) if len(wrong) else float("nan")
    middle = unadjusted + amount
    lower, upper = scores.mean_lower(), scores.mean_upper()
    doubts: list[tuple[str, ...]] = []
    for run in range(len(scores.runs)):
        reasons = _common_doubts(share[run])
        if not complete[run] and len(wrong) < FEW_RUNS:
            reasons.append(f"only {len(wrong)} pooled runs to learn the interval from")
        if not lower[run] - 1e-9 <= middle[run] <= upper[run] + 1e-9:
            reasons.append(
                f"certainly wrong: the score must lie in [{lower[run]:.4f}, {upper[run]:.4f}]"
            )
        doubts.append(tuple(reasons))
    certain = ~np.isnan(lower)
    low, high = middle - width, middle + width
    low = np.where(certain, np.clip(low, lower, upper), low)
    high = np.where(certain, np.clip(high, lower, upper), high)
    return Adjusted(
        scores.runs,
        str(measure),
        str(adjuster),
        unadjusted,
        amount,
        np.where(complete, 0.0, error),
        np.where(complete, unadjusted, low),
        np.where(complete, unadjusted, high),
        share,
        tuple(doubts),
        (*adjuster.explain(measure, case), *_of_errors(wrong), *_of_complete(complete)),
    )


def unjudged_share(case: PoolBias, measure: Measure) -> Floats:
    """The share of each new run's listed documents, as deep as the measure looks, unjudged."""
    runs = case.field.cut_new(measure.depth)
    n = (runs.stop - runs.start).sum(axis=1)
    run = np.repeat(np.arange(len(runs.names)), n)
    open_ = np.bincount(run[~case.judgments.judged[runs.pair]], minlength=len(n))
    share: Floats = np.divide(open_, n, out=np.zeros(len(n)), where=n > 0)
    return share


def _by_topics(
    adjuster: Topics, measure: Measure, case: PoolBias, share: Floats, random: np.random.Generator
) -> Adjusted:
    cheap, true, n_all = both_scores(measure, case)
    seen = from_topics(cheap, true, n_all)
    n = true.shape[1]
    open_ = open_weight(measure, case)
    below, above = reach(adjuster.interval, true - cheap[:, :n], n_all, random, open_)
    doubts = []
    for run in range(len(cheap)):
        reasons = [] if case.trusted is not None else _common_doubts(share[run])
        if n < FEW_TOPICS:
            reasons.append(f"only {n} common topics")
        if seen.adjustment[run] and not seen.standard_error[run] < abs(seen.adjustment[run]):
            reasons.append("the correction is smaller than its standard error (Eq. 6)")
        if seen.variance[run] > seen.sample_variance[run]:
            reasons.append("the plain mean of the common topics varies less (Eqs. 3, 5)")
        doubts.append(tuple(reasons))
    return Adjusted(
        case.field.new.names,
        str(measure),
        str(adjuster),
        seen.unadjusted,
        seen.adjustment,
        seen.standard_error,
        *_possible(measure, case, seen.adjusted - below, seen.adjusted + above),
        share,
        tuple(doubts),
        tuple(adjuster.explain(measure, case)),
    )


def _possible(measure: Measure, case: PoolBias, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """An interval cut to what is possible: by the judgments, or if they are cheap, at all."""
    if measure.judged_only or not measure.bounded:
        return low, high
    known = case.judgments
    if case.trusted is not None:
        known = inside(known, np.zeros(len(known.pairs), np.bool_))
    scores = measure.score(Lists.of(case.field.cut_new(measure.depth), known))
    lower, upper = scores.mean_lower(), scores.mean_upper()
    # fmax and fmin pass over the NaN of a measure that has no interval.
    return np.fmin(np.fmax(low, lower), upper), np.fmax(np.fmin(high, upper), lower)


def _common_doubts(share: float) -> list[str]:
    return [f"{share:.0%} of its ranks are unjudged"] if share > MANY_UNJUDGED else []


def _of_errors(wrong: Floats) -> list[str]:
    if not len(wrong):
        return ["all pooled runs are of one group, so nothing tells how far the correction is off"]
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
