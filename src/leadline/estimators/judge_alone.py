"""What a cheap judge says, believed."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence


@estimators.register
@dataclass(frozen=True)
class JudgeAlone(Estimator):
    """Unjudged documents are worth what cheap judges say: their labels, taken for judgments.

    Formula: gain = r_max * mean over judges of label / highest label of the judge

    A document without a label is worth nothing, and so is the tail beyond a list's end. There is no
    standard error, because nothing is known of how far the judges are off: a rival to be beaten,
    see Assisted.
    """

    needs_labels = True

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The labels as gains."""
        share = np.nan_to_num(evidence.runs.pairs.labels.share)
        return evidence.filled(evidence.max_gain * share[evidence.runs.pair])
