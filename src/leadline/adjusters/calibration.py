"""How far an adjuster is off: each pooled group is taken for new in turn."""

from dataclasses import replace

import numpy as np

from leadline.adjusters.adjuster import Adjuster, Progress, evaluation_depth, mean_scores
from leadline.adjusters.pool_bias import PoolBias, PooledAndNew, inside
from leadline.measures.measure import Measure
from leadline.pools.without import BestRanks, Drawn
from leadline.tables.arrays import Floats


def errors(
    adjuster: Adjuster, measure: Measure, case: PoolBias, progress: Progress | None = None
) -> Floats:
    """Adjusted minus pooled score of every pooled run, when its group is left out of the pool.

    Nothing is pooled again: judgments that only the group brought are withdrawn.
    """
    pooled = case.field.pooled
    names = {name: number for number, name in enumerate(dict.fromkeys(pooled.group))}
    unit = np.array([names[name] for name in pooled.group])
    if len(names) < 2:
        return np.zeros(0)
    depth = evaluation_depth(measure)
    truth = mean_scores(measure.score(case.lists(depth)).value)
    ranks = BestRanks.of(pooled, unit)
    inside_now = case.drawn.member(ranks.best)
    found = np.full(len(pooled.names), np.nan)
    for group in range(len(names)):
        mine = unit == group
        field = PooledAndNew(pooled.only(~mine), pooled.only(mine))
        lost = inside_now & ~case.drawn.member(ranks.without(group))
        drawn = Drawn(case.drawn.strategy, field.pooled, case.drawn.seed)
        left = replace(case, field=field, judgments=inside(case.judgments, ~lost), drawn=drawn)
        unadjusted = mean_scores(measure.score(left.new_lists(depth)).value)
        if len(field.pooled.names):
            found[mine] = unadjusted + adjuster.amounts(measure, left) - truth[mine]
        if progress is not None:
            progress(group + 1, len(names))
    known: Floats = found[~np.isnan(found)]
    return known


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
