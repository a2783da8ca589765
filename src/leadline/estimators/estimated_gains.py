"""What an estimator gives: gains with their error, and the scores that follow."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats, frozen
from leadline.tables.lists import Lists
from leadline.tables.mean_estimate import MeanEstimate
from leadline.tables.scores import Scores

if TYPE_CHECKING:
    from leadline.estimators.evidence import Evidence


@dataclass(frozen=True, eq=False)
class EstimatedGains:
    """A gain for every entry of the runs, in the measure's own gains.

    `gain` is aligned with `runs.pair`: what is judged keeps its gain. `tail` [runs, topics] is the
    gain of a unit of weight beyond the end of a list. `standard_error` [runs, topics] is that of
    the score, where the method knows one; `of_mean` the mean scores, where these are estimated as
    a whole. `doubts` are the reasons not to rely on any of it.
    """

    remarks: ClassVar[tuple[str, ...]] = ()

    evidence: "Evidence"
    gain: Floats
    tail: Floats
    standard_error: Floats | None = None
    of_mean: MeanEstimate | None = None
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        runs = self.evidence.runs
        object.__setattr__(self, "gain", frozen(self.gain, np.float64, runs.pair.shape, "gain"))
        for name in ("tail", "standard_error"):
            if getattr(self, name) is not None:
                array = frozen(getattr(self, name), np.float64, runs.start.shape, name)
                object.__setattr__(self, name, array)

    def scores(self, name: str, measure: Weighted | None = None) -> Scores:
        """Scores with every gain as estimated, inside the interval that is certain.

        The measure need not be the one that the gains were estimated with; the standard error is
        of that one alone. `name` tells how the scores were obtained.
        """
        evidence = self.evidence
        error, of_mean = self.standard_error, self.of_mean
        if measure is not None and measure != evidence.measure:
            evidence, error, of_mean = evidence.but(measure=measure), None, None
        if evidence.weighted.judged_only:
            raise ValueError(
                f"{measure} leaves unjudged documents out: there is nothing to estimate"
            )
        certain = evidence.weighted.score(Lists.of(evidence.runs, evidence.judgments))
        value = evidence.weighted_sums(self.gain) + evidence.tail_weight * self.tail
        return certain.estimated(value, name, error, of_mean)
