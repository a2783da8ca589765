"""Mean scores estimated as a whole: standard errors of all differences, and joint draws."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.data.arrays import Floats, Int64s, freeze

NORMAL_95 = 1.959964
"""Standard errors each way that hold 95% of a normal distribution."""


@dataclass(frozen=True, eq=False)
class MeanEstimate:
    """Mean scores that were estimated as a whole, and the covariance [runs, runs] of their errors.

    What runs have in common makes the error of a difference smaller than that of either. Where the
    errors come from few observations, `degrees` [runs, runs] tells by how many degrees of freedom
    each is known: of scores on the diagonal, of differences beside it. `withheld` is the reason why
    no error is offered, empty where one is.
    """

    value: Floats
    covariance: Floats
    degrees: Floats | None = None
    withheld: str = ""

    def __post_init__(self) -> None:
        n = len(self.value)
        freeze(self, np.float64, (n,), "value")
        freeze(self, np.float64, (n, n), "covariance", "degrees")

    def withhold(self, reason: str) -> "MeanEstimate":
        """Return the same means without any error: no interval, so no standard error either."""
        unknown = np.full(self.covariance.shape, np.nan)
        return replace(self, covariance=unknown, degrees=None, withheld=reason)

    @property
    def standard_error(self) -> Floats:
        """That of each run's mean."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def difference_error(self) -> Floats:
        """[runs, runs]: the standard error of every difference of two means."""
        own = np.diag(self.covariance)
        return np.sqrt(np.maximum(own[:, None] + own - 2 * self.covariance, 0.0))

    def margin(self, level: float = 0.95) -> Floats:
        """How far each run's mean may lie from the truth, at this level; NaN if it is not known."""
        return self.standard_error * np.diag(self._quantile(level))

    def difference_margin(self, level: float = 0.95) -> Floats:
        """[runs, runs]: the same of every difference of two means."""
        return self.difference_error() * self._quantile(level)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of every run's interval.

        Where a sample gives the errors, the judgments that score the leader also chose it, so its
        score is too high: its lower end has Bonferroni's quantile over the runs that may lead.
        """
        from scipy.special import stdtrit

        margin = self.margin(level)
        lower: Floats = self.value - margin
        if self.degrees is not None and len(self.value):
            leader = self.value == self.value.max()
            tail = (1 - level) / 2 / max(self.rivals(level), 1)
            quantile = stdtrit(np.diag(self.degrees)[leader], 1 - tail)
            lower[leader] = self.value[leader] - self.standard_error[leader] * quantile
        return lower, self.value + margin

    def rivals(self, level: float = 0.95) -> int:
        """Return how many runs may lead: the leader, and those not clearly below it."""
        leader = int(self.value.argmax())
        gap = self.value[leader] - self.value
        return int((gap <= self.difference_margin(level)[leader]).sum())

    def of_runs(self, rows: Int64s) -> "MeanEstimate":
        """Those of some runs, in this order."""
        square = np.ix_(rows, rows)
        degrees = None if self.degrees is None else self.degrees[square]
        return replace(
            self, value=self.value[rows], covariance=self.covariance[square], degrees=degrees
        )

    def _quantile(self, level: float) -> Floats:
        """[runs, runs]: of Student's t with the degrees of freedom, the normal one without any."""
        from scipy.special import stdtrit

        degrees = np.inf if self.degrees is None else self.degrees
        wide: Floats = stdtrit(degrees, (1 + level) / 2)
        return np.broadcast_to(wide, self.covariance.shape)


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
