"""A board: best first, who may still pass the leader, what leaving a group out does."""

import numpy as np
import pytest

from leadline.completions.contributions import LeftOut
from leadline.stats.board import Board, EstimatedMeans, groups_left_out
from tests.views.boards import board, groups


def test_runs_are_ordered_by_score_and_equals_share_a_place() -> None:
    made = board(rankings={"low": ["c", "x"], "one": ["a", "c"], "two": ["b", "c"]})
    assert [made.scores.runs[run] for run in made.order] == ["one", "two", "low"]
    assert made.places == [3, 1, 1]
    assert made.mean.tolist() == [0.0, 0.5, 0.5]
    assert made.judged.tolist() == [0.5, 1.0, 1.0]


def test_rivals_are_those_that_judging_may_lift_above_the_leader() -> None:
    # good is at 1; new can reach 1 and so draw level, bad cannot.
    assert board().rivals is not None
    assert board().rivals.tolist() == []
    open_ = board(rankings={"lead": ["a", "x"], "may": ["y", "z"], "out": ["c", "x"]})
    assert open_.rivals is not None
    assert [open_.scores.runs[run] for run in open_.rivals] == ["may"]


def test_without_interval_or_rival_nothing_is_told() -> None:
    assert board("bpref").rivals is None
    assert not board("bpref").has_interval
    alone = board(rankings={"only": ["a", "x"]})
    assert (alone.rivals, alone.tiers, alone.level_with_leader) == (None, None, None)


def test_the_test_tells_whom_it_cannot_tell_from_the_leader() -> None:
    made = board()
    assert made.pairwise is not None
    assert made.level_with_leader is not None
    apart = made.pairwise.apart("significance")
    leader = int(made.order[0])
    level = [run for run in made.order.tolist() if run != leader and not apart[leader, run]]
    assert made.level_with_leader.tolist() == level
    assert made.tiers is not None
    assert set(made.tiers) == {"certainty", "significance"}


def test_estimates_are_compared_two_by_two() -> None:
    made = board()
    means = tuple(EstimatedMeans(name, made.mean) for name in ("score", "x", "y"))
    full = Board(made.measure, made.scores, made.pairwise, made.alike, estimates=means)
    assert [names for names, _ in full.agreements] == ["score and x", "score and y", "x and y"]


def test_the_largest_fall_comes_first_and_unpooled_groups_have_none() -> None:
    made = board()
    of = groups(["g", "h", "i"], pooled=[True, True, False])
    mean = made.mean
    # Without g, good falls to 0.25 and last; without h nothing changes.
    value = np.tile(mean, (3, 1))
    value[0, 0] = 0.25
    left = LeftOut(value, value - 0.1, value + 0.1)
    first, second = groups_left_out(made.scores, of, left)
    assert (first.group, first.run, first.value, first.without) == ("g", "good", 1.0, 0.25)
    assert (first.place, first.place_without) == (1, 2)
    assert (first.lower, first.upper) == pytest.approx((0.15, 0.35))
    assert (second.group, second.value, second.without) == ("h", 0.0, 0.0)
