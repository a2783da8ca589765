"""The ends of the interval and its middle, as estimates."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from leadline.estimators.estimator import Estimated, Estimator, estimators, filled, known_gains
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs


class Constant(Estimator):
    """The same share of the largest gain for all that is open, the tail included."""

    share: ClassVar[float]

    def gains(
        self,
        measure: Weighted,
        runs: Runs,
        judgments: Judgments,
        pool: Pool | None = None,
        contributing: Bools | None = None,
        words: WordCounts | None = None,
    ) -> Estimated:
        """One number."""
        each = self.share * known_gains(measure, judgments)[1]
        guess = np.full(len(runs.pair), each)
        return filled(measure, runs, judgments, guess, np.full(runs.start.shape, each))


@estimators.register
@dataclass(frozen=True)
class LB(Constant):
    """Unjudged documents are worth nothing: the lower end of the interval.

    Formula: gain = 0

    What nearly every evaluation does. The tail beyond a list's end is worth nothing too.
    """

    share = 0.0


@estimators.register
@dataclass(frozen=True)
class UB(Constant):
    """Unjudged documents are as good as can be: the upper end of the interval.

    Formula: gain = r_max

    So is the tail beyond a list's end, where the measure has one.
    """

    share = 1.0


@estimators.register
@dataclass(frozen=True)
class Midpoint(Constant):
    """Unjudged documents are worth half of the largest gain: the middle of the interval.

    Formula: gain = r_max / 2

    So is the tail beyond a list's end, where the measure has one.
    """

    share = 0.5
