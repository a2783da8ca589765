"""How far an adjuster is off: each pooled group is taken for new in turn."""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.files.problems import Progress
from leadline.pools.without import BestRanks
from leadline.tables.arrays import Bools, Floats
from leadline.workers.workforce import current_workforce

if TYPE_CHECKING:
    from leadline.adjusters.adjuster import Adjuster


@dataclass(frozen=True, eq=False)
class GroupsInTurn:
    """What is needed to take any pooled group for new.

    Nothing is pooled again: judgments that only the group brought are withdrawn.
    """

    evidence: PoolBias
    ranks: BestRanks
    inside_now: Bools

    @classmethod
    def of(cls, evidence: PoolBias) -> "GroupsInTurn":
        """The groups of the contributing runs."""
        pooled, drawn = evidence.contributors.runs, evidence.drawn
        ranks = BestRanks.of(pooled.cut(drawn.depth), pooled.group_number)
        return cls(evidence, ranks, drawn.member(ranks.best))

    def new(self, group: int) -> tuple[PoolBias, Bools]:
        """The evidence with that group's runs as the new ones, and which pairs it withdrew."""
        evidence = self.evidence
        pooled = evidence.contributors.runs
        mine = pooled.group_number == group
        lost = self.inside_now & ~evidence.drawn.member(self.ranks.without(group))
        judgments = evidence.judgments.only(~lost)
        left = evidence.but(runs=pooled, contributing=~mine, new=mine, judgments=judgments)
        return left, lost & evidence.judgments.judged


def errors(adjuster: "Adjuster", evidence: PoolBias, progress: Progress | None = None) -> Floats:
    """Adjusted minus pooled score of every pooled run, when its group is left out of the pool."""
    pooled = evidence.contributors.runs
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
