"""A shift and a slope of logits are found again."""

import numpy as np
import pytest

from leadline.estimators.edge_calibration import Calibration, calibrate


def test_calibration_finds_a_shift_and_a_slope() -> None:
    random = np.random.default_rng(0)
    logit = random.normal(0, 2, 50_000)
    relevant = random.random(len(logit)) < 1 / (1 + np.exp(-(0.5 + 0.7 * logit)))
    found = calibrate(logit, relevant)
    assert found.shift == pytest.approx(0.5, abs=0.05)
    assert found.slope == pytest.approx(0.7, abs=0.03)
    assert Calibration()(np.array([0.5])).tolist() == [0.5]
