"""A warning comes where estimates put the leaders in another order, and only there."""

import numpy as np

from leadline.tables.scores import Scores
from leadline.verbs.leader_orders import leaders_line


def scores(name: str, *value: float) -> Scores:
    column = np.array(value)[:, None]
    lower, upper = np.zeros_like(column), np.ones_like(column)
    lower[:, 0] = np.array([0.5, 0.4, 0.3, 0.1])
    runs, judged = ("a", "b", "c", "d"), np.ones_like(column)
    return Scores(runs, ("1",), "P@1", column, lower, upper, judged, name)


def test_estimates_that_agree_are_passed_over() -> None:
    assert leaders_line([scores("RM", 0.9, 0.8, 0.7, 0.6)]) == ""
    # LB is what judged documents alone say, and says it once.
    assert leaders_line([scores("LB", 0.5, 0.4, 0.3, 0.1)]) == ""


def test_estimates_that_swap_leaders_are_named_with_their_orders() -> None:
    line = leaders_line([scores("RM", 0.8, 0.9, 0.7, 0.6)])
    assert "judged documents alone: a, b, c; RM: b, a, c" in line


def test_a_swap_far_behind_is_none_of_the_leaders() -> None:
    assert "d" in leaders_line([scores("RM", 0.9, 0.8, 0.31, 0.7)]).split("; ")[-1]
