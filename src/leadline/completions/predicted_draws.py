"""Scores of new runs in draws of what unjudged documents are: nDCG, AP and others like them."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.adjuster import PoolBias
from leadline.completions.regression import Regression
from leadline.data.arrays import Floats


@dataclass(frozen=True, eq=False)
class PredictedDraws:
    """What is expected of each new run's mean score, and why not to rely on it.

    In a draw every unjudged document has one grade; the ideal of nDCG and what AP and Recall divide
    by are worked out anew. There is no error: that of Regression holds for pooled runs.
    """

    expected: Floats
    doubts: tuple[str, ...]

    @classmethod
    def of(cls, evidence: PoolBias, seed: int) -> "PredictedDraws":
        """By the worlds of Regression, learnt from the contributing runs."""
        drawn = Regression(seed=seed).drawn(evidence)
        scores = drawn.scores("Predicted")
        new = np.array([scores.runs.index(name) for name in evidence.new_names], np.int64)
        doubt = (
            f"no error of {evidence.measure} was shown to hold for runs that were not pooled: no "
            "prediction interval, only bounds"
        )
        return cls(scores.mean()[new], (*drawn.doubts, doubt))
