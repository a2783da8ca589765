"""Tasks whose judgments are those of a depth pool: deep scores, and those of newcomers."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.estimators.evidence import Evidence
from leadline.leagues.part import CollectionPart
from leadline.leagues.question import Question
from leadline.leagues.task import WEIGHTED, Task
from leadline.measures.measure import Measure, parse_measure
from leadline.pools.depth import Depth
from leadline.pools.without import DrawnPool
from leadline.tables.arrays import Bools

DEPTHS = (5, 10, 20, 30)

ANY = parse_measure("P@10")
"""In the place of a measure, which comes later."""


class Shallow(Task):
    """Deep scores from a pool of all runs to a depth."""

    name, letter, unit = "shallow", "a", "depth of the pool"
    title = "deep scores from a shallow pool"
    measures = (*WEIGHTED, "nDCG@10", "AP")
    budgets = DEPTHS

    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        if measure.depth is not None and measure.depth <= budget:
            return
        evidence = _of_pool(part, budget).but(measure=measure)
        yield Question(measure, part.runs, part.answers, budget, part.seed, evidence)


class LeftOutGroup(Task):
    """The scores of a group's runs by a pool that it had no part in."""

    name, letter, unit = "newcomer", "b", "depth of the pool"
    title = "a newcomer's score, its group left out of the pool"
    measures = (*WEIGHTED, "nDCG@10", "AP")
    budgets = DEPTHS
    n_groups = 2

    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        runs = part.runs
        random = np.random.default_rng(part.seed)
        for name in random.permutation(sorted(runs.groups))[: self.n_groups].tolist():
            new: Bools = np.array([group == name for group in runs.group], np.bool_)
            if new.all():
                return
            evidence = _without(part, budget, name).but(measure=measure)
            yield Question(measure, runs, part.answers, budget, part.seed, evidence, new)


# Measures and methods share what follows from ranks and pools; a draw has a few of each.
@lru_cache(maxsize=len(DEPTHS))
def _of_pool(part: CollectionPart, depth: int) -> Evidence:
    pool = Depth(depth).pool(part.runs)
    return Evidence(ANY, part.runs, pool.restrict(part.answers), pool)


@lru_cache(maxsize=2 * len(DEPTHS))
def _without(part: CollectionPart, depth: int, group: str) -> PoolBias:
    runs = part.runs
    new: Bools = np.array([each == group for each in runs.group], np.bool_)
    judgments = Depth(depth).pool(runs.only(~new)).restrict(part.answers)
    drawn = DrawnPool(Depth(depth), runs)
    return PoolBias(ANY, runs, judgments, contributing=~new, new=new, drawn=drawn)


def forget_pools() -> None:
    """Let go of what was shared."""
    for kept in (_of_pool, _without):
        kept.cache_clear()
