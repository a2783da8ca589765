"""A stepper over an order that is known from the start."""

import numpy as np

from leadline.orders.order import Choice, Stepper
from leadline.tables.arrays import Floats, Int64s


class FixedOrder(Stepper):
    """Pairs one after the other, but for those that were judged meanwhile."""

    def __init__(self, pair: Int64s, weight: Floats | None, n_pairs: int) -> None:
        self.pair, self.weight = pair, weight
        self.done = np.zeros(n_pairs, np.bool_)
        self.place = np.full(n_pairs, len(pair))
        self.place[pair] = np.arange(len(pair))
        self.at = 0

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k and self.at < len(self.pair):
            pair = int(self.pair[self.at])
            if not self.done[pair]:
                self.done[pair] = True
                weight = None if self.weight is None else float(self.weight[self.at])
                chosen.append(Choice(pair, weight))
            self.at += 1
        return chosen

    def weights(self, first: int, last: int) -> Floats:
        # The sooner the heavier; only the order of them means anything.
        place = self.place[first:last]
        asked = (place < len(self.pair)) & ~self.done[first:last]
        return np.where(asked, 1.0 / (1.0 + place), 0.0)

    def tell(self, pair: int, grade: int) -> None:
        self.done[pair] = True

    def retract(self, pair: int, grade: int | None) -> bool:
        return True

    def spend(self, pair: int) -> None:
        self.done[pair] = True

    def release(self, pair: int) -> None:
        self.done[pair] = False
        self.at = min(self.at, int(self.place[pair]))
