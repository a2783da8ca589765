"""Labels that LARA gives to what nobody judged."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.estimators.label_calibration import LabelCalibration


@estimators.register
@dataclass(frozen=True)
class LARALabels(Estimator):
    """Unjudged documents have the grade that calibrated labels of cheap judges make likely.

    Formula: grade >= g if (1 - w) pi + w sigma(b0 + b1 pi) >= 1/2, w = min(1, rate * judged)

    For judgments in the order LARA. Without error bars, and with the bias that comes from judging
    what is doubtful and cutting at one half: a rival to be beaten, see Assisted. The tail beyond a
    list's end is worth nothing.

    Takehi, Voorhees, Sakai and Soboroff, LLM-assisted relevance assessments, SIGIR 2025.
    """

    needs_labels = True

    rate: float = 0.005

    def __post_init__(self) -> None:
        if not 0 <= self.rate < np.inf:
            raise ValueError(f"rate must be 0 or more, not {self.rate}")

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The gains of these grades."""
        judgments = evidence.judgments
        share = evidence.runs.pairs.labels.share
        model = LabelCalibration.of(share, judgments.max_grade, self.rate)
        grade = model.grades(judgments.judged, judgments.grade)
        return evidence.filled(evidence.gain_table[grade][evidence.runs.pair])
