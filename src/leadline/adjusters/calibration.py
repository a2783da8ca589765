"""How far an adjuster is off: each pooled group is taken for new in turn."""

from typing import TYPE_CHECKING

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.files.problems import Progress
from leadline.pools.without import BestRanks
from leadline.tables.arrays import Floats

if TYPE_CHECKING:
    from leadline.adjusters.adjuster import Adjuster


def errors(adjuster: "Adjuster", evidence: PoolBias, progress: Progress | None = None) -> Floats:
    """Adjusted minus pooled score of every pooled run, when its group is left out of the pool.

    Nothing is pooled again: judgments that only the group brought are withdrawn.
    """
    pooled, drawn, measure = evidence.contributors.runs, evidence.drawn, evidence.measure
    unit, n_groups = pooled.group_number, len(pooled.groups)
    if n_groups < 2:
        return np.zeros(0)
    truth = measure.score(evidence.lists()).mean()
    ranks = BestRanks.of(pooled.cut(drawn.depth), unit)
    inside_now = drawn.member(ranks.best)
    wrong = np.full(len(pooled.names), np.nan)
    for group in range(n_groups):
        mine = unit == group
        lost = inside_now & ~drawn.member(ranks.without(group))
        left = evidence.but(
            runs=pooled,
            contributing=~mine,
            new=mine,
            judgments=evidence.judgments.only(~lost),
        )
        unadjusted = measure.score(left.new_lists()).mean()
        wrong[mine] = unadjusted + adjuster.amounts(left) - truth[mine]
        if progress is not None:
            progress(group + 1, n_groups)
    known: Floats = wrong[~np.isnan(wrong)]
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
