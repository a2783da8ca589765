"""Depth pools."""

from dataclasses import dataclass

import numpy as np

from leadline.pools.strategy import PoolStrategy, Strata, pools
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs


@pools.register
@dataclass(frozen=True)
class Depth(PoolStrategy):
    """Every pair that some run ranks at depth d or better.

    Formula: member if best rank over the runs <= d

    The seed plays no part.
    """

    d: int

    def __post_init__(self) -> None:
        if self.d < 1:
            raise ValueError(f"depth must be at least 1, not {self.d}")

    @property
    def layers(self) -> Strata:
        """One stratum, taken whole."""
        return ((self.d, 1.0),)

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The union of the runs' first d documents."""
        member = np.zeros(len(runs.pairs), np.bool_)
        member[runs.pair[runs.entries.rank <= self.d]] = True
        inclusion = member.astype(np.float64)
        stratum = np.where(member, 0, -1).astype(np.int16)
        return Pool(runs.pairs, member, inclusion, stratum, str(self), seed)
