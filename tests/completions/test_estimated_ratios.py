"""Ratios that are estimated lie inside the intervals that are certain, and keep their means."""

import numpy as np
import pytest

from leadline.completions.estimator import EstimatedRatios, TrainingData
from leadline.data.mean_estimate import MeanEstimate
from leadline.measures.measure import parse_measure
from tests.collections import Small


def test_values_are_kept_inside_what_is_certain() -> None:
    small = Small({"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}}, {"1": {"x": 1, "y": 0}}, 1)
    runs, judgments = small.tables()
    evidence = TrainingData(parse_measure("nDCG@2"), runs, judgments)
    of_mean = MeanEstimate(np.array([0.9, 0.6]), np.eye(2))
    wide = EstimatedRatios(evidence, np.array([[1.2], [0.1]]), of_mean, ("a doubt",))
    scores = wide.scores("told")
    # With all judged the upper end of a is 1, and that of b what y before x earns.
    assert scores.value[0, 0] == 1.0
    assert scores.upper[1, 0] == pytest.approx(1 / np.log2(3))
    assert scores.lower[1, 0] <= scores.value[1, 0] <= scores.upper[1, 0]
    assert scores.obtained == "told"
    assert scores.of_mean is of_mean
    assert any("some run has" in remark for remark in wide.remarks)


def test_values_for_other_lists_are_refused() -> None:
    small = Small({"a": {"1": ["x"]}}, {"1": {"x": 1}}, 1)
    evidence = TrainingData(parse_measure("nDCG@2"), *small.tables())
    with pytest.raises(ValueError, match="value"):
        EstimatedRatios(evidence, np.zeros((2, 1)), MeanEstimate(np.zeros(1), np.zeros((1, 1))))
