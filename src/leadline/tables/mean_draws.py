"""Mean scores as they might be: a value for each run, and joint draws of all of them."""

from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Floats, Int64s, freeze

CELLS = 1 << 22
"""Differences in a block: those of all draws of some pairs of runs."""


@dataclass(frozen=True, eq=False)
class MeanDraws:
    """The told `value` of each run's mean score, and `draws` [draws, runs] of what it might be.

    What runs have in common moves them together in a draw, so it counts for nothing in their
    difference. Draws need not lie as far above a value as below it.

    >>> told = MeanDraws(np.array([1.0, 0.0]), np.array([[1.0, 0.0], [3.0, 2.0]]))
    >>> told.standard_error.round(3).tolist(), [end.tolist() for end in told.interval()]
    ([1.414, 1.414], [[1.0, 0.0], [2.95, 1.95]])
    >>> [end.tolist() for end in told.differences(np.array([0]), np.array([1]))]
    [[0.0], [1.0], [1.0]]
    """

    value: Floats
    draws: Floats

    def __post_init__(self) -> None:
        freeze(self, np.float64, (len(self.value),), "value")
        freeze(self, np.float64, (len(self.draws), len(self.value)), "draws")

    @property
    def standard_error(self) -> Floats:
        """How far draws lie from the value, as root mean square."""
        return _spread(self.draws, self.value)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The ends between which draws lie so often, as many beyond one as beyond the other.

        The value always lies between them.
        """
        return _ends(self.draws, self.value, level)

    def differences(
        self, first: Int64s, second: Int64s, level: float = 0.95
    ) -> tuple[Floats, Floats, Floats]:
        """The standard error and the two ends, at this level, of each pair of runs' difference."""
        parts = [np.zeros((3, 0))]
        size = max(1, CELLS // max(1, len(self.draws)))
        for begin in range(0, len(first), size):
            one, other = first[begin : begin + size], second[begin : begin + size]
            drawn, told = (of[..., one] - of[..., other] for of in (self.draws, self.value))
            parts.append(np.stack([_spread(drawn, told), *_ends(drawn, told, level)]))
        error, low, high = np.concatenate(parts, axis=1)
        return error, low, high


def _spread(draws: Floats, value: Floats) -> Floats:
    spread: Floats = np.sqrt(((draws - value) ** 2).mean(axis=0))
    return spread


def _ends(draws: Floats, value: Floats, level: float) -> tuple[Floats, Floats]:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.minimum(low, value), np.maximum(high, value)
