"""Scores of a measure that divides by an ideal, whose means are estimated as a whole."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.tables.arrays import Floats, freeze
from leadline.tables.lists import Lists
from leadline.tables.mean_estimate import MeanEstimate
from leadline.tables.scores import Scores

if TYPE_CHECKING:
    from leadline.estimators.evidence import Evidence


@dataclass(frozen=True, eq=False)
class EstimatedRatios:
    """value [runs, topics] by the model, and the mean scores put right by what was drawn.

    `doubts` are the reasons not to rely on any of it.
    """

    evidence: "Evidence"
    value: Floats
    of_mean: MeanEstimate
    doubts: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the scores are divided by, which is not all that `evaluate` divides by."""
        return (
            f"{self.evidence.measure} is divided by what documents could give that some run has "
            "where it looks: only these could be drawn. `evaluate` counts all judged documents, so "
            "its scores are lower where people found more elsewhere",
        )

    def __post_init__(self) -> None:
        freeze(self, np.float64, self.evidence.runs.start.shape, "value")

    def scores(self, name: str) -> Scores:
        """Scores inside the interval that is certain; `name` tells how they were obtained."""
        evidence = self.evidence
        certain = evidence.measure.score(Lists.of(evidence.runs, evidence.judgments))
        return certain.estimated(self.value, name, None, self.of_mean)
