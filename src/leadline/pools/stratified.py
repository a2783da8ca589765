"""Stratified, sampled and two-strata pools: each a list of strata with a rate."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.pools.strategy import PoolStrategy, Strata, pools
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.draw import draw_pairs
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs


@pools.register
@dataclass(frozen=True)
class Stratified(PoolStrategy):
    """Pairs by strata of their best rank over the runs, each stratum sampled at its own rate.

    Formula: member if u(seed, topic, doc) < rate of the stratum that holds the best rank

    strata=[(10, 1), (90, 0.44)] takes everything that some run has in its first 10, and 44 in a
    hundred of what the best rank of is 11 to 100. size=fixed draws the same number without chance:
    the rate times the stratum's size in each topic, those with the smallest u; such a pool is not
    nested when a run is removed.

    Lipani, Lupu and Hanbury, The curious incidence of bias corrections in the pool, ECIR 2016.
    """

    strata: Strata
    size: Literal["expected", "fixed"] = "expected"

    def __post_init__(self) -> None:
        if not self.strata:
            raise ValueError("a pool needs at least one stratum: strata=[(10, 1), (90, 0.44)]")
        for depth, rate in self.strata:
            if depth < 1 or not 0 < rate <= 1:
                raise ValueError(
                    f"a stratum is (size of 1 or more, rate in (0, 1]), not {(depth, rate)}"
                )

    @property
    def layers(self) -> Strata:
        """The strata as given."""
        return self.strata

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The members drawn, with the stratum and rate of all that could have been."""
        return draw_strata(runs, self.strata, seed, str(self), self.size == "fixed")


@pools.register
@dataclass(frozen=True)
class Sampled(PoolStrategy):
    """Each pair of the depth pool with the same probability.

    Formula: member if best rank <= d and u(seed, topic, doc) < rate
    """

    d: int
    rate: float

    def __post_init__(self) -> None:
        Stratified(((self.d, self.rate),))

    @property
    def layers(self) -> Strata:
        """One stratum."""
        return ((self.d, self.rate),)

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """Its members drawn."""
        return draw_strata(runs, self.layers, seed, str(self))


@pools.register
@dataclass(frozen=True)
class TwoStrata(PoolStrategy):
    """Everything to depth d, and a sample of what lies below it down to depth `deep`.

    Formula: member if best rank <= d, or best rank <= deep and u(seed, topic, doc) < rate
    """

    d: int
    deep: int
    rate: float

    def __post_init__(self) -> None:
        if self.deep <= self.d:
            raise ValueError(f"deep must be below d: {self.deep} is not more than {self.d}")
        Stratified(((self.d, 1.0), (self.deep - self.d, self.rate)))

    @property
    def layers(self) -> Strata:
        """One stratum that is taken whole, one that is sampled."""
        return ((self.d, 1.0), (self.deep - self.d, self.rate))

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """Members drawn from both."""
        return draw_strata(runs, self.layers, seed, str(self))


def draw_strata(runs: Runs, strata: Strata, seed: int, name: str, fixed: bool = False) -> Pool:
    """The pool of some strata; the draw of a pair depends on nothing but the seed and its name."""
    ends = np.cumsum([size for size, _ in strata])
    stratum = np.searchsorted(ends, runs.best_rank).astype(np.int16)
    outside = stratum == len(strata)
    rate = np.array([*(rate for _, rate in strata), 0.0])[stratum]
    member = rate == 1.0
    chance = np.flatnonzero((rate > 0) & (rate < 1))
    number = draw_pairs(seed, runs.pairs, chance)
    if fixed:
        group = runs.pairs.topic[chance].astype(np.int64) * len(strata) + stratum[chance]
        member[chance] = _smallest(group, rate[chance], number)
    else:
        member[chance] = number < rate[chance]
    stratum[outside] = -1
    return Pool(runs.pairs, member, rate, stratum, name, seed)


def _smallest(group: Int64s, rate: Floats, number: Floats) -> Bools:
    """In each group, rate times its size of the pairs, those with the smallest numbers."""
    order = np.lexsort((number, group))
    first = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) != 0])[: len(group)])
    size = np.diff(np.append(first, len(group)))
    place = np.arange(len(group)) - np.repeat(first, size)
    wanted = np.rint(np.repeat(size, size) * rate[order])
    chosen = np.zeros(len(group), np.bool_)
    chosen[order] = place < wanted
    return chosen
