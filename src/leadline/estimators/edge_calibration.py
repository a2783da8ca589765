"""Probabilities put right by a line through their logits."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.logistic import log_loss, newton, sigmoid
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
    neutral = np.array([0.0, 1.0])

    def loss(line: Floats) -> float:
        off = line - neutral
        return float(log_loss(x @ line, y).sum() + PRIOR / 2 * (off @ off))

    def direction(line: Floats) -> tuple[Floats, float]:
        p = sigmoid(x @ line)
        slope = x.T @ (p - y) + PRIOR * (line - neutral)
        step: Floats = np.linalg.solve((x.T * (p * (1 - p))) @ x + PRIOR * np.eye(2), slope)
        return step, float(slope @ step)

    line = newton(neutral, loss, direction)
    return Calibration(float(line[0]), max(0.0, float(line[1])))
