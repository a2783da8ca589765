"""Pools without some of their runs: drawn once and filtered, never built again."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.draw import draw_pairs
from leadline.data.runs import UNRANKED, Runs
from leadline.pooling.strategies import PoolStrategy


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

    def member(self, best: Int32s, pair: Int64s | Int32s | slice = slice(None)) -> Bools:
        """Whether each pair is in the pool if `best` is its best rank over the runs."""
        layers = self.strategy.layers
        if len(layers) == 1 and layers[0][1] == 1:
            inside: Bools = best <= self.depth
            return inside
        ends = np.cumsum([size for size, _ in layers])
        rate = np.array([*(rate for _, rate in layers), 0.0])[np.searchsorted(ends, best)]
        drawn: Bools = self.number[pair] < rate
        return drawn
