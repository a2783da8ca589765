"""The heaviest pair, exactly, without weighing all pairs at every step.

A pair weighs sum over its entries of share * factor[cell], plus extra * sum of factors. When
factors change, no weight grows by more than the largest ratio of a new factor to the old one. So
all pairs are weighed once in a while, the heaviest of them are kept at hand and weighed at every
step, and all others are bounded by the heaviest of them times that ratio.
"""

from typing import Any

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int32s, Int64s

NEAR = 1e-10
"""Weights that differ by less than this share are equal, so that rounding decides nothing."""

AT_HAND = 2048
MANY = 200_000
"""Entries from which on a sparse matrix is worth its import."""

FEW = 512
"""Cells up to which the pairs at hand are kept as a full matrix, weighed by one product."""


class Heaviest:
    """Pairs with entries start[pair] to start[pair + 1], each with a share and a cell.

    `open` is the caller's own mask of pairs that may be chosen; it may change between calls.
    """

    def __init__(self, start: Int64s, cell: Int32s, share: Floats, open_: Bools) -> None:
        self.start, self.cell, self.share, self.open = start, cell, share, open_
        self.extra: Floats | None = None
        self._some = np.flatnonzero(np.diff(start) > 0)
        self._at_hand: Int64s | None = None
        self._table: Any = None
        self._parts: dict[tuple[int, int], Any] = {}

    def reshare(self, share: Floats, extra: Floats) -> None:
        """Other shares, and an extra share per pair in the sum of all factors."""
        self.share, self.extra = share, extra
        self._at_hand = self._table = None
        self._parts.clear()

    def best(self, factor: Floats) -> tuple[int, float] | None:
        """The open pair that weighs most, the lowest of those that weigh the same; None if none."""
        for _ in range(2):
            if self._at_hand is None:
                self._weigh_all(factor)
            found = self._best_at_hand(factor)
            if found is not None:
                return found
            self._at_hand = None
        return None

    def weights(self, factor: Floats, first: int, last: int) -> Floats:
        """What the open pairs from `first` up to `last` weigh; 0 for all others."""
        if first == 0 and last == len(self.open):
            weights = self._sums(factor)
        else:
            weights = self._sums_of_part(factor, first, last)
        if self.extra is not None:
            weights += self.extra[first:last] * factor.sum()
        able = self.open[first:last] & (np.diff(self.start[first : last + 1]) > 0)
        return np.where(able, np.maximum(weights, 0.0), 0.0)

    def _weigh(self, cell: Int32s, share: Floats, first: Int64s, factor: Floats) -> Floats:
        weights: Floats = np.add.reduceat(share * factor[cell], first)
        return weights

    def _sums_of_part(self, factor: Floats, first: int, last: int) -> Floats:
        """What the entries of the pairs from `first` up to `last` weigh."""
        if self._is_worth_a_table:
            if (first, last) not in self._parts:
                self._parts[first, last] = self._as_table(first, last, len(factor))
            made: Floats = self._parts[first, last] @ factor
            return made
        weights = np.zeros(last - first)
        begin, end = self.start[first], self.start[last]
        some = np.flatnonzero(np.diff(self.start[first : last + 1]) > 0)
        if len(some):
            cell, share = self.cell[begin:end], self.share[begin:end]
            weights[some] = self._weigh(cell, share, self.start[first + some] - begin, factor)
        return weights

    @property
    def _is_worth_a_table(self) -> bool:
        return MANY < len(self.cell) < 2**31

    def _as_table(self, first: int, last: int, n_cells: int) -> Any:
        """Pairs as rows: weighed in one pass, a fraction of what it takes with temporaries."""
        from scipy.sparse import csr_array

        begin, end = self.start[first], self.start[last]
        row = (self.start[first : last + 1] - begin).astype(np.int32)
        parts = self.share[begin:end], self.cell[begin:end], row
        return csr_array(parts, shape=(last - first, n_cells))

    def _sums(self, factor: Floats) -> Floats:
        """What the entries of every pair weigh."""
        if self._is_worth_a_table:
            if self._table is None:
                self._table = self._as_table(0, len(self.open), len(factor))
            made: Floats = self._table @ factor
            return made
        weights = np.zeros(len(self.open))
        if len(self._some):
            weights[self._some] = self._weigh(self.cell, self.share, self.start[self._some], factor)
        return weights

    def _weigh_all(self, factor: Floats) -> None:
        pairs = self._some[self.open[self._some]]
        if not len(pairs):
            self._at_hand = pairs
            self._bound = -np.inf
            return
        weights = self._sums(factor)
        if self.extra is not None:
            weights += self.extra * factor.sum()
        mine = weights[pairs]
        if len(pairs) > AT_HAND:
            least = np.partition(mine, len(mine) - AT_HAND)[len(mine) - AT_HAND]
            # Never part of a tie: what weighs nearly as much as the last one comes along.
            near = mine >= least * (1 - 10 * NEAR)
            self._bound = float(mine[~near].max(initial=-np.inf))
            pairs = pairs[near]
        else:
            self._bound = -np.inf
        self._factor = factor.copy()
        self._keep(pairs)

    def _keep(self, pairs: Int64s) -> None:
        self._at_hand = pairs
        first, last = self.start[pairs], self.start[pairs + 1]
        length = last - first
        self._first = np.cumsum(length) - length
        entry = np.arange(length.sum()) + np.repeat(first - self._first, length)
        self._cell, self._share = self.cell[entry], self.share[entry]
        self._matrix: Floats | None = None
        if len(self._factor) <= FEW:
            self._matrix = np.zeros((len(pairs), len(self._factor)))
            row = np.repeat(np.arange(len(pairs)), length)
            self._matrix[row, self._cell] = self._share

    def _best_at_hand(self, factor: Floats) -> tuple[int, float] | None:
        pairs = self._at_hand
        assert pairs is not None
        if not len(pairs):
            return None
        if self._matrix is not None:
            weights = self._matrix @ factor
        else:
            weights = self._weigh(self._cell, self._share, self._first, factor)
        if self.extra is not None:
            weights += self.extra[pairs] * factor.sum()
        weights[~self.open[pairs]] = -np.inf
        most = float(weights.max())
        if most == -np.inf:
            return None
        # What weighed nothing by a factor of nothing has no bound: then this is not a number.
        if not most * (1 - NEAR) > self._bound * self._growth(factor):
            return None
        # A weight of nothing, or of rounding, is no reason to judge.
        if most <= 0:
            return None
        at = int(np.argmax(weights >= most * (1 - NEAR)))
        return int(pairs[at]), float(weights[at])

    def _growth(self, factor: Floats) -> float:
        """How much any weight may have grown since all were weighed."""
        if self._bound == -np.inf:
            return 1.0
        changed = factor > self._factor
        if not changed.any():
            return 1.0
        with np.errstate(divide="ignore"):
            return float((factor[changed] / self._factor[changed]).max())
