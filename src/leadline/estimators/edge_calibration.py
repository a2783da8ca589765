"""Probabilities put right by a line through their logits."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.regression import sigmoid
from leadline.tables.arrays import Bools, Floats

PRIOR = 1.0
"""Of how much the line wants to be the one that changes nothing: as so much squared distance."""


@dataclass(frozen=True)
class Calibration:
    """The logit put right is shift + slope * logit."""

    shift: float = 0.0
    slope: float = 1.0

    def __call__(self, logit: Floats) -> Floats:
        """The logits put right."""
        right: Floats = self.shift + self.slope * logit
        return right


def calibrate(logit: Floats, relevant: Bools) -> Calibration:
    """The line that makes these logits most likely to have led to what is relevant.

    Least of the log loss plus half the squared distance from shift 0 and slope 1; never a slope
    below 0, which would turn the order of documents round.

    >>> calibrate(np.array([-1.0, 1.0]), np.array([False, True])).slope > 1
    True
    """
    finite = np.isfinite(logit)
    z, y = logit[finite], relevant[finite]
    x = np.stack([np.ones(len(z)), z], axis=1)
    at = np.array([0.0, 1.0])
    neutral = at.copy()

    def loss(line: Floats) -> float:
        value = x @ line
        off = line - neutral
        return float((np.logaddexp(0.0, value) - y * value).sum() + PRIOR / 2 * (off @ off))

    for _ in range(50):
        p = sigmoid(x @ at)
        slope = x.T @ (p - y) + PRIOR * (at - neutral)
        curve = (x.T * (p * (1 - p))) @ x + PRIOR * np.eye(2)
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while loss(at - size * step) > loss(at) and size > 1e-8:
            size /= 2
        at = at - size * step
        if float(slope @ step) < 1e-12:
            break
    return Calibration(float(at[0]), max(0.0, float(at[1])))
