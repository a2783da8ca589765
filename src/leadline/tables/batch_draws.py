"""A pool drawn in batches, batch by batch, with what the draws of others said of each pair."""

from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Floats, Int64s, freeze


@dataclass(frozen=True, eq=False)
class BatchDraws:
    """The rows `pair` of all pairs, and for each the `batch` (from 1) that drew it, 0 if none did.

    [batches, rows]: the `chance` with which a batch drew what was not drawn before; the `expected`
    gain by what it and earlier ones drew of other pairs, and how far gains are `spread` about that.
    Neither these nor the chance in the next batch follow from whether the pair itself was drawn.
    """

    pair: Int64s
    batch: Int64s
    chance: Floats
    expected: Floats
    spread: Floats

    def __post_init__(self) -> None:
        rows = len(self.pair)
        freeze(self, np.int64, (rows,), "pair", "batch")
        freeze(self, np.float64, (len(self.chance), rows), "chance", "expected", "spread")
