"""The ends of the interval and its middle, as estimates."""

from dataclasses import dataclass
from typing import ClassVar

from leadline.estimators.drawn_scores import DrawnScores
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.tables.lists import Lists


class Constant(Estimator):
    """The same share of the largest gain for all that is open, the tail included."""

    share: ClassVar[float]
    by_residual = True

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """One number."""
        gain = self.share * evidence.max_gain
        return evidence.filled(gain, gain)


@estimators.register
@dataclass(frozen=True)
class LB(Constant):
    """Unjudged documents are worth nothing: the lower end of the interval.

    Formula: gain = 0

    What nearly every evaluation does. The tail beyond a list's end is worth nothing too. Of nDCG,
    AP and others that divide by what is relevant it is the usual score, but no lower end: judging
    more can make them smaller.
    """

    share = 0.0
    any_measure = True

    def drawn(self, evidence: Evidence) -> DrawnScores:
        """The score by judged documents alone, drawn once."""
        lists = Lists.of(evidence.runs, evidence.judgments)
        return DrawnScores(evidence, evidence.measure.score(lists).value[None])


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
