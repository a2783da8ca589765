"""Interpolation: what is unjudged is as good as what is judged."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence


@estimators.register
@dataclass(frozen=True)
class RM(Estimator):
    """Unjudged documents gain as much, weight for weight, as the judged ones of the same list.

    Formula: M / (1 - residual), where the weights sum to 1

    The gain of all that is open in a list, its tail included, is its known gain over its judged
    weight. Where a list holds no judged document, it is the mean gain of all judged documents of
    the collection.

    Ravana and Moffat, Score estimation, incomplete judgments, and significance testing in IR
    evaluation, AIRS 2010.
    """

    by_residual = True

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """One rate a list."""
        runs, known = evidence.runs, evidence.known_gain
        base = evidence.list_sums(evidence.weight * known[runs.pair])
        seen = evidence.list_sums(np.where(evidence.judged, evidence.weight, 0.0))
        judged = evidence.judgments.judged
        background = float(known[judged].mean()) if judged.any() else 0.0
        rate = np.divide(base, seen, out=np.full(base.shape, background), where=seen > 1e-12)
        return evidence.filled(rate.ravel()[runs.entries.list], rate)
