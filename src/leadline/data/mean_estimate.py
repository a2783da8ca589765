"""Mean scores estimated as a whole: standard errors of all differences, and joint draws."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.data.arrays import Floats, Int64s, freeze

NORMAL_95 = 1.959964
"""Standard errors each way that hold 95% of a normal distribution."""


CELLS = 1 << 22
"""Differences in a block: those of all draws of some pairs of runs."""


@dataclass(frozen=True, eq=False)
class MeanEstimate:
    """Mean scores that were estimated as a whole, and the covariance [runs, runs] of their errors.

    What runs have in common makes the error of a difference smaller than that of either. Where the
    errors come from few observations, `degrees` [runs, runs] tells by how many degrees of freedom
    each is known: of scores on the diagonal, of differences beside it. Where a model gives `draws`
    [draws, runs] of the means, intervals are their quantiles, which need not lie as far above a
    value as below it. `withheld` is the reason why no error is offered, empty where one is.
    """

    value: Floats
    covariance: Floats
    degrees: Floats | None = None
    withheld: str = ""
    draws: Floats | None = None

    def __post_init__(self) -> None:
        n = len(self.value)
        freeze(self, np.float64, (n,), "value")
        freeze(self, np.float64, (n, n), "covariance", "degrees")
        if self.draws is not None:
            freeze(self, np.float64, (len(self.draws), n), "draws")

    @classmethod
    def of_draws(cls, value: Floats, draws: Floats) -> "MeanEstimate":
        """Return the means with errors by draws [draws, runs], two at least.

        >>> mean = MeanEstimate.of_draws(np.array([2.0, 1.0]), np.array([[1.0, 0.0], [3.0, 2.0]]))
        >>> mean.standard_error.round(3).tolist()
        [1.414, 1.414]
        >>> [end.round(3).tolist() for end in mean.interval()]
        [[1.05, 0.05], [2.95, 1.95]]
        >>> [end.tolist() for end in mean.differences(np.array([0]), np.array([1]))]
        [[0.0], [1.0], [1.0]]
        """
        n_runs = draws.shape[1]
        covariance: Floats = np.cov(draws, rowvar=False).reshape(n_runs, n_runs)
        # A mean that no draw moves has no error, not even that of the last digit.
        same = (draws == draws[0]).all(axis=0)
        covariance[same, :] = covariance[:, same] = 0.0
        return cls(value, covariance, draws=draws)

    def withhold(self, reason: str) -> "MeanEstimate":
        """Return the same means without any error: no interval, so no standard error either."""
        unknown = np.full(self.covariance.shape, np.nan)
        return replace(self, covariance=unknown, degrees=None, withheld=reason, draws=None)

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
        """Return the lower and the upper end of every run's interval; the value lies in it.

        Where a sample gives the errors, the judgments that score the leader also chose it, so its
        score is too high: its lower end has Bonferroni's quantile over the runs that may lead.
        """
        from scipy.special import stdtrit

        if self.draws is not None:
            return _quantiles(self.draws, self.value, level)
        margin = self.margin(level)
        lower: Floats = self.value - margin
        if self.degrees is not None and len(self.value):
            leader = self.value == self.value.max()
            tail = (1 - level) / 2 / max(self.rivals(level), 1)
            quantile = stdtrit(np.diag(self.degrees)[leader], 1 - tail)
            lower[leader] = self.value[leader] - self.standard_error[leader] * quantile
        return lower, self.value + margin

    def differences(
        self, first: Int64s, second: Int64s, level: float = 0.95
    ) -> tuple[Floats, Floats, Floats]:
        """Return the standard error and the two ends, at this level, of first minus second."""
        error = self.difference_error()[first, second]
        gap = self.value[first] - self.value[second]
        if self.draws is None:
            margin = self.difference_margin(level)[first, second]
            return error, gap - margin, gap + margin
        ends = [np.zeros((2, 0))]
        size = max(1, CELLS // max(1, len(self.draws)))
        for begin in range(0, len(first), size):
            part = slice(begin, begin + size)
            drawn = self.draws[:, first[part]] - self.draws[:, second[part]]
            ends.append(np.stack(_quantiles(drawn, gap[part], level)))
        low, high = np.concatenate(ends, axis=1)
        return error, low, high

    def rivals(self, level: float = 0.95) -> int:
        """Return how many runs may lead: the leader, and those not clearly below it."""
        leader = int(self.value.argmax())
        gap = self.value[leader] - self.value
        return int((gap <= self.difference_margin(level)[leader]).sum())

    def of_runs(self, rows: Int64s) -> "MeanEstimate":
        """Those of some runs, in this order."""
        square = np.ix_(rows, rows)
        return replace(
            self,
            value=self.value[rows],
            covariance=self.covariance[square],
            degrees=None if self.degrees is None else self.degrees[square],
            draws=None if self.draws is None else self.draws[:, rows],
        )

    def _quantile(self, level: float) -> Floats:
        """[runs, runs]: of Student's t with the degrees of freedom, the normal one without any."""
        from scipy.special import stdtrit

        degrees = np.inf if self.degrees is None else self.degrees
        wide: Floats = stdtrit(degrees, (1 + level) / 2)
        return np.broadcast_to(wide, self.covariance.shape)


def _quantiles(draws: Floats, value: Floats, level: float) -> tuple[Floats, Floats]:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.minimum(low, value), np.maximum(high, value)
