"""Which pairs are to be judged, and how they were chosen."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int16s, freeze
from leadline.tables.judgments import Judgments
from leadline.tables.pairs import Pairs


@dataclass(frozen=True, eq=False)
class Pool:
    """Members, with the probability and the stratum by which each was included.

    `inclusion` and `stratum` hold for every pair that could have been drawn; 0 and -1 elsewhere.
    Where a pool is drawn in batches, `batch` tells in which one a member came (from 1), `expected`
    the gain that was expected of it then; NaN in the first.
    """

    pairs: Pairs
    member: Bools
    inclusion: Floats
    stratum: Int16s
    strategy: str
    seed: int = 0
    batch: Int16s | None = None
    expected: Floats | None = None

    def __post_init__(self) -> None:
        shape = (len(self.pairs),)
        freeze(self, np.bool_, shape, "member")
        freeze(self, np.float64, shape, "inclusion", "expected")
        freeze(self, np.int16, shape, "stratum", "batch")
        if ((self.inclusion < 0) | (self.inclusion > 1)).any():
            raise ValueError("inclusion probabilities must be between 0 and 1")
        if (self.inclusion[self.member] == 0).any() or (self.stratum[self.member] < 0).any():
            raise ValueError("a member of a pool needs an inclusion probability and a stratum")

    def __len__(self) -> int:
        return int(self.member.sum())

    def __repr__(self) -> str:
        return f"Pool({self.strategy}: {len(self):,} of {len(self.pairs):,} pairs)"

    @property
    def n_batches(self) -> int:
        """How many batches were drawn."""
        return 1 if self.batch is None else int(self.batch.max(initial=0))

    def on(self, pairs: Pairs, kept: Bools) -> "Pool":
        """The pool of some of the pairs, which have become `pairs`."""
        return replace(
            self,
            pairs=pairs,
            member=self.member[kept],
            inclusion=self.inclusion[kept],
            stratum=self.stratum[kept],
            batch=None if self.batch is None else self.batch[kept],
            expected=None if self.expected is None else self.expected[kept],
        )

    def restrict(self, judgments: Judgments) -> Judgments:
        """The judgments that lie inside this pool; all others are withdrawn."""
        if judgments.pairs is not self.pairs:
            raise ValueError("pool and judgments must be over the same pairs")
        judged = judgments.judged & self.member
        return Judgments(
            self.pairs,
            judged,
            np.where(judged, judgments.grade, 0),
            pooled=self.member | (self.inclusion > 0),
            inclusion=self.inclusion,
            stratum=self.stratum,
            max_grade=judgments.max_grade,
        )
