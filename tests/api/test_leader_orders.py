"""A warning comes where estimates put the leaders in another order, and only there."""

from dataclasses import replace

import numpy as np

from leadline.api.estimate import leader_caveat, leaders_line
from leadline.completions.sample import SHRUNK
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.scores import Scores


def scores(name: str, *value: float) -> Scores:
    column = np.array(value)[:, None]
    lower, upper = np.zeros_like(column), np.ones_like(column)
    lower[:, 0] = np.array([0.5, 0.4, 0.3, 0.1])
    runs, judged = ("a", "b", "c", "d"), np.ones_like(column)
    return Scores(runs, ("1",), "P@1", column, lower, upper, judged, name)


def test_estimates_that_agree_are_passed_over() -> None:
    assert leaders_line([scores("ListMean", 0.9, 0.8, 0.7, 0.6)]) == ""
    # LowerBound is what judged documents alone say, and says it once.
    assert leaders_line([scores("LowerBound", 0.5, 0.4, 0.3, 0.1)]) == ""


def test_estimates_that_swap_leaders_are_named_with_their_orders() -> None:
    line = leaders_line([scores("ListMean", 0.8, 0.9, 0.7, 0.6)])
    assert "judged documents alone: a, b, c; ListMean: b, a, c" in line


def test_a_swap_far_behind_is_none_of_the_leaders() -> None:
    assert "d" in leaders_line([scores("ListMean", 0.9, 0.8, 0.31, 0.7)]).split("; ")[-1]


def test_a_leader_that_a_sample_chose_and_scored_is_told_to_score_too_high() -> None:
    value, degrees = np.array([0.8, 0.9, 0.7, 0.6]), np.full((4, 4), 9.0)
    sampled = MeanEstimate(value, 0.01 * np.eye(4), degrees)
    made = replace(scores("ModelAssisted", *value), of_mean=sampled)
    # Differences are known to 2.262157 * sqrt(.02) = .3199: all four may lead.
    caveat = leader_caveat(made)
    assert caveat is not None
    assert caveat.startswith("b is scored on the judgments that made it the leader")
    assert "the 4 runs that may lead" in caveat
    few = leader_caveat(replace(made, of_mean=sampled.withhold("too few")))
    assert few is not None
    assert "may be too high" in few
    assert leader_caveat(replace(made, of_mean=sampled.withhold(SHRUNK))) is None
    sure = MeanEstimate(value, 1e-6 * np.eye(4), degrees)
    assert leader_caveat(replace(made, of_mean=sure)) is None, "nobody else may lead"
    assert leader_caveat(replace(made, of_mean=MeanEstimate(value, np.eye(4)))) is None
    assert leader_caveat(scores("ListMean", *value)) is None
