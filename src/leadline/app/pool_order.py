"""A pool in place of an order: its pairs in the order of its file, and no others."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadline.data.arrays import Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.io.pool_csv import pool_from
from leadline.io.problems import InputError
from leadline.judging.order import FixedOrder, Order, Stepper


@dataclass(frozen=True)
class PoolOrder(Order):
    """The pairs of a pool in the order of its file."""

    path: Path

    def __str__(self) -> str:
        return f"the pool {self.path.name}"

    @property
    def learns_from_asking(self) -> bool:
        return False

    def pairs(self, runs: Runs) -> Int64s:
        """Return the pairs of the pool that some run returns, each once, as the file has them."""
        pool = pool_from(self.path)
        found = runs.pairs.find(pool["topic"], pool["doc"])
        first = np.unique(found, return_index=True)[1]
        kept = np.sort(first[found[first] >= 0])
        pair: Int64s = found[kept].astype(np.int64)
        if not len(pair):
            raise InputError.of(str(self.path), "pool", "holds no document that these runs return")
        return pair

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """Return a stepper over the pairs that some run returns."""
        stepper = FixedOrder(self.pairs(runs), None, len(runs.pairs))
        return self.resume(stepper, judgments)
