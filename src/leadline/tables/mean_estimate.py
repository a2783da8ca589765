"""Mean scores that were estimated as a whole, with the errors of each and of every difference."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.tables.arrays import Floats, Int64s, freeze

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
