"""Differences of new runs from each other and from pooled ones."""

import numpy as np
import pytest

from leadline.adjusters.run_differences import RunDifferences
from leadline.tables.mean_estimate import MeanEstimate


def test_every_pair_with_a_new_run_is_told() -> None:
    covariance = np.array([[4.0, 1.0, 0.0], [1.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    means = MeanEstimate(np.array([3.0, 2.0, 5.0]), covariance)
    told = RunDifferences(("x", "y", "p"), 2, "P@10", "Predicted", means, (("odd",), ()))
    frame = told.frame()
    assert frame.columns[:4] == ["run_a", "run_b", "measure", "adjuster"]
    assert frame.columns[4:] == ["difference", "standard_error", "lower", "upper", "trust"]
    assert list(frame.select("run_a", "run_b").iter_rows()) == [("x", "y"), ("x", "p"), ("y", "p")]
    assert frame["difference"].to_list() == [1.0, -2.0, -3.0]
    # Of 4 + 4, what the two share, 1 each, is no error of their difference.
    assert frame["standard_error"].to_list() == pytest.approx([6**0.5, 2.0, 2.0])
    assert frame["upper"].to_list() == pytest.approx([1 + 1.96 * 6**0.5, 1.92, 0.92], abs=1e-3)
    assert frame["trust"].to_list() == ["x: odd", "x: odd", ""]


def test_two_pooled_runs_are_nobodys_question() -> None:
    means = MeanEstimate(np.zeros(3), np.eye(3))
    told = RunDifferences(("x", "p", "q"), 1, "P@10", "Predicted", means, ((),))
    assert [side.tolist() for side in told.pairs] == [[0, 0], [1, 2]]
