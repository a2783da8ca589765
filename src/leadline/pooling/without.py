"""Pools without some of their runs: drawn once and filtered, never built again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.draw import draw_pairs
from leadline.data.pool import Pool
from leadline.data.runs import UNRANKED, Runs
from leadline.pooling.strategies import PoolStrategy, Strata, Stratified


@dataclass(frozen=True, eq=False)
class BestRanks:
    """Per pair: its best rank, the unit (a run, or a group) that has it there, the best of others.

    Whether a pair is still pooled when a unit stays away is one comparison of these.
    """

    best: Int32s
    second: Int32s
    holder: Int32s

    @classmethod
    def of(cls, runs: Runs, unit: Int64s) -> "BestRanks":
        """`unit[run]` tells what the run belongs to; a tie goes to the run that comes first."""
        postings = runs.postings
        held = np.flatnonzero(np.diff(postings.start) > 0)
        n_pairs = len(runs.pairs)
        best, second = (np.full(n_pairs, UNRANKED, np.int32) for _ in range(2))
        holder = np.full(n_pairs, -1, np.int32)
        if not len(held):
            return cls(best, second, holder)
        first = postings.start[held]
        size = np.diff(postings.start)[held]
        of_entry = unit.astype(np.int32)[postings.run]
        # Rank and unit in one number: its least is the best rank with the unit that has it.
        n_units = int(unit.max()) + 1
        joint = np.minimum.reduceat(postings.rank.astype(np.int64) * n_units + of_entry, first)
        best[held], holder[held] = joint // n_units, joint % n_units
        others = of_entry != np.repeat(holder[held], size)
        second[held] = np.minimum.reduceat(np.where(others, postings.rank, UNRANKED), first)
        return cls(best, second, holder)

    def without(self, unit: int | Int32s) -> Int32s:
        """The best rank of every pair when a unit (one for all, or one for each pair) is away."""
        return np.where(self.holder == unit, self.second, self.best)


@dataclass(frozen=True, eq=False)
class DrawnPool:
    """A pool's draw: which pairs are in, whatever their best rank turns out to be.

    A pair keeps its number u(seed, topic, doc), so a pool of fewer runs lies inside that of more
    where rates fall with the rank. `runs` are all that may come to be pooled.
    """

    strategy: PoolStrategy
    runs: Runs
    seed: int = 0

    def __post_init__(self) -> None:
        if getattr(self.strategy, "size", "expected") == "fixed":
            raise ValueError(f"{self.strategy}: a pool of fixed size cannot be filtered")

    @cached_property
    def depth(self) -> int:
        """The last rank from which a pair can be drawn."""
        return sum(size for size, _ in self.strategy.layers)

    @cached_property
    def number(self) -> Floats:
        """u of every pair that has a chance and needs luck."""
        number = np.zeros(len(self.runs.pairs))
        if any(rate < 1 for _, rate in self.strategy.layers):
            wanted = np.unique(self.runs.cut(self.depth).pair).astype(np.int64)
            number[wanted] = draw_pairs(self.seed, self.runs.pairs, wanted)
        return number

    def chance(self, best: Int32s) -> Floats:
        """Return the inclusion probability of pairs by their best rank over the runs."""
        ends = np.cumsum([size for size, _ in self.strategy.layers])
        rate = np.array([*(rate for _, rate in self.strategy.layers), 0.0])
        probability: Floats = rate[np.searchsorted(ends, best)]
        return probability

    def member(self, best: Int32s, pair: Int64s | Int32s | slice = slice(None)) -> Bools:
        """Whether each pair is in the pool if `best` is its best rank over the runs."""
        layers = self.strategy.layers
        if len(layers) == 1 and layers[0][1] == 1:
            inside: Bools = best <= self.depth
            return inside
        drawn: Bools = self.number[pair] < self.chance(best)
        return drawn


@dataclass(frozen=True, eq=False)
class SampledPool(DrawnPool):
    """A pool that was drawn elsewhere, by strata of best ranks, with numbers that agree with it.

    A member has a number below its inclusion probability, any other pair one above it, evenly
    spread: so a member that falls to a stratum with half the rate stays with probability a half.
    """

    pool: Pool = field(kw_only=True)

    @classmethod
    def of(
        cls, pool: Pool, runs: Runs, drawn_from: Sequence[Bools], seed: int = 0
    ) -> "SampledPool":
        """Return the draw of a pool; a ValueError if it has no strata of best ranks.

        A pool file does not say from which runs it was drawn: those of the mask over which its
        strata do not overlap, and hold nearest as many pairs as their rates let one expect.
        """
        fits: list[tuple[float, Strata]] = []
        refused: ValueError | None = None
        for mask in drawn_from:
            best = runs.only(mask).best_rank
            try:
                strata = strata_of(pool, best)
            except ValueError as problem:
                refused = refused or problem
                continue
            fits.append((_misfit(pool, best, strata), strata))
        if not fits:
            raise refused or ValueError(OTHER_POOL)
        _, strata = min(fits, key=lambda fit: fit[0])
        return cls(Stratified(strata), runs, seed, pool=pool)

    @cached_property
    def number(self) -> Floats:
        """u of every pair that could have been drawn."""
        wanted = np.flatnonzero(self.pool.inclusion > 0)
        chance, member = self.pool.inclusion[wanted], self.pool.member[wanted]
        even = draw_pairs(self.seed, self.runs.pairs, wanted)
        number = np.ones(len(self.runs.pairs))
        number[wanted] = np.where(member, even * chance, chance + even * (1 - chance))
        return number


def strata_of(pool: Pool, best: Int32s) -> Strata:
    """Return sizes and rates of a pool's strata, from the top of the lists down.

    `best` are best ranks over the runs from which it was drawn. A ValueError says why a pool is
    none by strata of best ranks.
    """
    strata: list[tuple[int, int, float, int]] = []
    for number in np.unique(pool.stratum[pool.inclusion > 0]):
        inside = (pool.stratum == number) & (pool.inclusion > 0) & (best < UNRANKED)
        if not inside.any():
            continue
        rates = pool.inclusion[inside]
        if np.ptp(rates) > 1e-9:
            raise ValueError(
                f"stratum {number} of the pool has inclusion probabilities from {rates.min():g} to "
                f"{rates.max():g}: {OTHER_POOL}"
            )
        ranks = best[inside]
        strata.append((int(ranks.min()), int(ranks.max()), float(rates[0]), int(number)))
    strata.sort()
    if not strata:
        raise ValueError("no pair of the pool is returned by a pooled run")
    for (_, end, _, upper), (begin, _, _, lower) in pairwise(strata):
        if begin <= end:
            raise ValueError(
                f"strata {upper} and {lower} of the pool share best rank {begin} over the pooled "
                f"runs: {OTHER_POOL}"
            )
    ends = [begin - 1 for begin, *_ in strata[1:]] + [strata[-1][1]]
    sizes = np.diff([0, *ends]).tolist()
    return tuple((size, rate) for size, (_, _, rate, _) in zip(sizes, strata, strict=True))


def _misfit(pool: Pool, best: Int32s, strata: Strata) -> float:
    """Return how many members more or fewer strata have than expected, for each member."""
    ends = np.cumsum([size for size, _ in strata])
    of = np.searchsorted(ends, best)
    n = np.bincount(of, minlength=len(strata) + 1)[:-1]
    drawn = np.bincount(of, pool.member, minlength=len(strata) + 1)[:-1]
    expected = n * np.array([rate for _, rate in strata])
    return float(np.abs(drawn - expected).sum()) / max(1, len(pool))


OTHER_POOL = (
    "adjusters learn from pools by Depth, UniformSample, TwoStrata and Stratified, drawn from all "
    "runs or from the pooled ones"
)
