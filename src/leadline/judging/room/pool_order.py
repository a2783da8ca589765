"""A pool from a file in place of an order: its pairs, one after the other."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadline.files.problems import InputError
from leadline.formats.pool_csv import pool_from
from leadline.orders.fixed import FixedOrder
from leadline.orders.order import Order, Stepper
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@dataclass(frozen=True)
class PoolOrder(Order):
    """The pairs of a pool in the order of its file."""

    path: Path

    def __str__(self) -> str:
        return f"the pool {self.path.name}"

    @property
    def learns_from_asking(self) -> bool:
        return False

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs that some run returns."""
        pool = pool_from(self.path)
        found = runs.pairs.find(pool["topic"], pool["doc"])
        pair = found[found >= 0].astype(np.int64)
        if not len(pair):
            raise InputError.of(str(self.path), "pool", "holds no document that these runs return")
        return self.resume(FixedOrder(pair, None, len(runs.pairs)), judgments)
