"""Weighted measures: a sum over ranks of weight times gain, so their intervals are exact."""

from abc import abstractmethod

import numpy as np

from leadline.measures.gains import Gains, gain_table, scale
from leadline.measures.measure import Interval, Measure
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.lists import Block, cells_of


class Weighted(Measure):
    """score = sum over ranks of weight(rank) * gain(document).

    An unjudged document may have any gain from 0 to the largest, independently of all others, so
    the score lies between sum(weight * known gain) and that plus the largest gain times the weight
    of all open ranks: those with unjudged documents, and the tail beyond the list's end.
    """

    gains: Gains = "binary"
    rel: int = 1
    max_grade: int | None = None

    @property
    def numerator(self) -> "Weighted":
        """Itself."""
        return self

    @abstractmethod
    def weights(self, n: int) -> Floats:
        """Weights of ranks 1 to n."""

    def tail(self, n: Int64s) -> Floats:
        """Weight that stays open beyond the end of lists of n documents."""
        return np.zeros(len(n))

    def gain(self, max_grade: int) -> Floats:
        """The gain of each grade."""
        return gain_table(self.gains, self.rel, scale(self.max_grade, max_grade, self.rel))

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Known gain, and that plus what the open ranks could still bring."""
        gain = self.gain(max_grade)
        weights = self.weights(block.judged.shape[1])
        base = graded_sums(block, gain, weights)
        open_ = open_sums(block, weights) + self.tail(block.length)
        return base, base, base + gain.max() * open_


def open_sums(block: Block, weights: Floats) -> Floats:
    """The weight of each list's ranks that hold unjudged documents.

    Where most are unjudged, what all ranks weigh without the judged ones: which way is taken
    depends on the list alone, so that its company never changes the last digit.
    """
    mostly = 2 * block.n_judged <= block.length
    if not mostly.any():
        return row_sums(block.unjudged, weights)
    row, column, _ = block.cells
    closed = np.bincount(row, weights=weights[column], minlength=len(mostly))
    whole = np.concatenate([[0.0], np.cumsum(weights)])[block.length]
    if mostly.all():
        rest: Floats = whole - closed
        return rest
    return np.where(mostly, whole - closed, row_sums(block.unjudged, weights))


def graded_sums(block: Block, gain: Floats, weights: Floats) -> Floats:
    """Sum over each list's judged documents of gain * weight."""
    row, column, grade = block.cells
    sums = np.bincount(row, weights=gain[grade] * weights[column], minlength=len(block.length))
    return sums.astype(np.float64, copy=False)


def row_sums(mask: Bools, weights: Floats) -> Floats:
    """Sum of the weights of each row's cells that are in the mask.

    Added up from left to right, so that padding, and so the company a list is in, never changes
    the last digit.
    """
    if weights.ndim == 1 and 8 * np.count_nonzero(mask) > mask.size:
        # The same sum in the same order, faster where most cells are in the mask.
        dense: Floats = (mask * weights).cumsum(axis=1)[:, -1]
        return dense
    row, column = cells_of(mask)
    chosen = weights[column] if weights.ndim == 1 else weights[row, column]
    sums = np.bincount(row, weights=chosen, minlength=len(mask))
    # Of nothing, numpy makes whole numbers.
    return sums.astype(np.float64, copy=False)
