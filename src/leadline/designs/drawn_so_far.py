"""What was drawn so far of the pairs that weigh something, batch after batch."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.cross_fit import DrawnPairs
from leadline.estimators.pair_weights import PairWeights
from leadline.tables.arrays import Bools, Floats, Int16s, Int64s
from leadline.tables.pool import Pool


@dataclass(frozen=True, eq=False)
class DrawnSoFar:
    """A row a pair of the weights: whether it was `drawn`, and the chance `missed` that it was not.

    `batch` tells in which batch it came (from 1, else 0), `expected` the gain expected of it then.
    `n_batches` counts the batches.
    """

    drawn: Bools
    missed: Floats
    batch: Int16s
    expected: Floats
    n_batches: int

    @classmethod
    def nothing(cls, n: int) -> "DrawnSoFar":
        """Before the first batch, of n pairs."""
        empty = np.full(n, np.nan)
        return cls(np.zeros(n, np.bool_), np.ones(n), np.zeros(n, np.int16), empty, 0)

    @classmethod
    def of(cls, pool: Pool, weights: PairWeights) -> "DrawnSoFar":
        """The rows of a pool that has the chances of all pairs."""
        rows = weights.pair
        if pool.batch is None or pool.expected is None:
            raise ValueError("the previous pool has no column batch: it was not drawn by Designed")
        missed, drawn = 1 - pool.inclusion[rows], pool.member[rows]
        return cls(drawn, missed, pool.batch[rows], pool.expected[rows], pool.n_batches)

    def pool(self, weights: PairWeights, strategy: str, seed: int) -> Pool:
        """All pairs, those that weigh nothing too."""
        pairs, rows = weights.runs.pairs, weights.pair
        member, inclusion = np.zeros(len(pairs), np.bool_), np.zeros(len(pairs))
        batch, expected = np.zeros(len(pairs), np.int16), np.full(len(pairs), np.nan)
        member[rows], inclusion[rows] = self.drawn, 1 - self.missed
        batch[rows], expected[rows] = self.batch, self.expected
        stratum = np.where(inclusion > 0, 0, -1).astype(np.int16)
        return Pool(pairs, member, inclusion, stratum, strategy, seed, batch, expected)

    def with_batch(self, chance: Floats, luck: Bools, expected: Floats) -> "DrawnSoFar":
        """One batch more: the new ones of those who had luck."""
        new = luck & ~self.drawn
        number = self.n_batches + 1
        return DrawnSoFar(
            self.drawn | new,
            self.missed * (1 - chance),
            np.where(new, np.int16(number), self.batch),
            np.where(new, expected, self.expected),
            number,
        )

    def sample(self, weights: PairWeights, grade: Int64s, table: Floats, seed: int) -> DrawnPairs:
        """What was drawn, with its grades, and what it says of the rest."""
        inclusion = 1 - self.missed
        return DrawnPairs(
            weights.feature,
            weights.topic,
            len(weights.runs.pairs.topics),
            self.drawn,
            np.where(inclusion > 0, inclusion, 1.0),
            np.where(self.drawn, grade, 0),
            weights.folds(seed),
            table,
        )
