"""Pooled groups left out of the pool in turn: what they would lose, and what is corrected of it."""

from contextlib import closing
from dataclasses import dataclass

import numpy as np

from leadline.completions.adjuster import Adjusted, Adjuster, GroupsInTurn, UnpooledRuns
from leadline.data.arrays import Floats, Int64s
from leadline.data.scores import SCORE_NOISE
from leadline.io.parallel import current_workforce
from leadline.io.problems import Progress


@dataclass(frozen=True, eq=False)
class LeftOutRuns:
    """The runs of one group, scored without the judgments that only their group brought.

    `complete` are their scores by all judgments and `place` their places among the pooled runs, 1
    the best; `place_unpooled` are the places when the group was not pooled. `withdrawn` counts the
    judgments that only this group brought to the pool.
    """

    group: str
    adjusted: Adjusted
    complete: Floats
    place: Int64s
    place_unpooled: Int64s
    withdrawn: int


def left_out_runs(
    adjuster: Adjuster,
    evidence: UnpooledRuns,
    groups: list[str],
    seed: int = 0,
    progress: Progress | None = None,
) -> list[LeftOutRuns]:
    """Take each of these pooled groups out of the pool and adjust its scores."""
    pooled = evidence.pooled_runs.runs
    shared = adjuster, GroupsInTurn.of(evidence), seed
    numbers = [pooled.groups.index(group) for group in groups]
    found: dict[int, LeftOutRuns] = {}
    with closing(current_workforce().results(_left_out, shared, numbers)) as coming:
        for n_done, (at, runs) in enumerate(coming, 1):
            found[at] = runs
            if progress is not None:
                progress(n_done, len(numbers))
    return [found[at] for at in sorted(found)]


def _left_out(shared: tuple[Adjuster, GroupsInTurn, int], group: int) -> LeftOutRuns:
    adjuster, groups, seed = shared
    evidence = groups.evidence
    pooled = evidence.pooled_runs.runs
    mine = pooled.group_number == group
    complete = evidence.measure.score(evidence.lists).mean()
    left, gone = groups.new(group)
    unpooled = np.empty(len(mine))
    unpooled[~mine] = left.measure.score(left.lists).mean()
    unpooled[mine] = left.measure.score(left.new_lists()).mean()
    return LeftOutRuns(
        pooled.groups[group],
        adjuster.adjust(left, random=np.random.default_rng(seed)),
        complete[mine],
        _places(complete)[mine],
        _places(unpooled)[mine],
        int(gone.sum()),
    )


def _places(mean: Floats) -> Int64s:
    """Return the place of each run, 1 the best; equals share the better place.

    >>> _places(np.array([0.2, 0.5, 0.2]))
    array([2, 1, 2])
    """
    ordered = np.sort(mean)
    place: Int64s = len(mean) - np.searchsorted(ordered, mean + SCORE_NOISE, side="right") + 1
    return place
