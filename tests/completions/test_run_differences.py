"""Differences of new runs from each other and from pooled ones."""

import numpy as np
import pytest

from leadline.completions.adjuster import RunDifferences
from leadline.data.mean_estimate import MeanEstimate


def test_every_pair_with_a_new_run_is_told() -> None:
    draws = np.array([[3.0, 2.0, 5.0], [5.0, 4.0, 5.0], [9.0, 2.0, 5.0]])
    means = MeanEstimate.of_draws(np.array([3.0, 2.0, 5.0]), draws)
    told = RunDifferences(("x", "y", "p"), 2, "P@10", "Regression", means, (("odd",), ()))
    frame = told.frame()
    assert frame.columns[:4] == ["run_a", "run_b", "measure", "adjuster"]
    assert frame.columns[4:] == [
        "difference",
        "standard_error",
        "pred_lower",
        "pred_upper",
        "caveats",
    ]
    assert list(frame.select("run_a", "run_b").iter_rows()) == [("x", "y"), ("x", "p"), ("y", "p")]
    assert frame["difference"].to_list() == [1.0, -2.0, -3.0]
    # What moves both, 2 in the second draw, is no error of their difference.
    assert frame["standard_error"].to_list() == pytest.approx(
        # Gaps of 1, 1, 7; of -2, 0, 4; and of -3, -1, -3: squares around their means over n - 1.
        [(24 / 2) ** 0.5, (56 / 3 / 2) ** 0.5, (8 / 3 / 2) ** 0.5]
    )
    assert frame["pred_lower"].to_list() == pytest.approx([1.0, -2.0, -3.0])
    assert frame["pred_upper"].to_list() == pytest.approx([6.7, 3.8, -1.1])
    assert frame["caveats"].to_list() == ["x: odd", "x: odd", ""]


def test_two_pooled_runs_are_nobodys_question() -> None:
    means = MeanEstimate.of_draws(np.zeros(3), np.eye(3))
    told = RunDifferences(("x", "p", "q"), 1, "P@10", "Regression", means, ((),))
    assert [side.tolist() for side in told.pairs] == [[0, 0], [1, 2]]
