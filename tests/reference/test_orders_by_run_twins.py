"""The reference orders that choose a run against hand-worked values."""

import pytest

from . import orders as o
from . import orders_by_run as by_run
from .test_order_twins import NOTHING, docs_of, weights_of

TWO_LISTS: o.Runs = [{"1": ["a", "b", "c"]}, {"1": ["d", "a", "e"]}]
A_AND_E = {("1", "a"): 1, ("1", "e"): 2, ("1", "b"): 0}


def test_move_to_front_by_hand() -> None:
    # X: a relevant, b not; X at -1. Y: d not; Y at -1. X again: c not; X at -2. Y: e.
    log = o.simulate(by_run.MoveToFront(TWO_LISTS), A_AND_E)
    assert docs_of(log) == ["a", "b", "d", "c", "e"]
    assert [weight for _, weight, _ in log] == [None] * 5
    # If a is not relevant either, Y comes second; a is then judged and e is next.
    log = o.simulate(by_run.MoveToFront(TWO_LISTS), NOTHING)
    assert docs_of(log) == ["a", "d", "b", "e", "c"]
    log = o.simulate(by_run.MoveToFront(TWO_LISTS), {("1", "d"): 1})
    assert docs_of(log) == ["a", "d", "e", "b", "c"]


def test_topics_take_turns() -> None:
    runs: o.Runs = [{"10": ["q"], "9": ["a", "b", "c"]}, {"9": ["d", "a", "e"], "x": []}]
    grades = {("9", "a"): 1, ("9", "e"): 1}
    for order in [by_run.MoveToFront(runs), by_run.MaxMean(runs, 0)]:
        log = o.simulate(order, grades)
        assert [pair for pair, _, _ in log] == [
            ("9", "a"),
            ("10", "q"),
            ("9", "b"),
            ("9", "d"),
            ("9", "c"),
            ("9", "e"),
        ]


def test_max_mean_by_hand() -> None:
    # X 1/2: a relevant; X 2/3: b not; X 2/4, as Y: c not; X is at its end. Y 1/2: d not; Y 1/3: e.
    log = o.simulate(by_run.MaxMean(TWO_LISTS, 1), A_AND_E)
    assert docs_of(log) == ["a", "b", "c", "d", "e"]
    assert weights_of(log) == pytest.approx([1 / 2, 2 / 3, 1 / 2, 1 / 2, 1 / 3], abs=1e-15)


def test_forgetful_max_mean_by_hand() -> None:
    # X 1/2: a relevant; X 2/3: b not; X 1/3, so Y 1/2: d not; both 1/3: X's c not; Y's e.
    log = o.simulate(by_run.MaxMean(TWO_LISTS, 0), A_AND_E)
    assert docs_of(log) == ["a", "b", "d", "c", "e"]
    assert weights_of(log) == pytest.approx([1 / 2, 2 / 3, 1 / 2, 1 / 3, 1 / 3], abs=1e-15)


def test_max_mean_that_forgets_by_half() -> None:
    # One list: (0, 0), (1, 1), (1/2, 3/2), (1/4, 7/4).
    log = o.simulate(by_run.MaxMean([{"1": ["a", "b", "c", "d"]}], 0.5), {("1", "a"): 1})
    expected = [1 / 2, 2 / 3, 1.5 / 3.5, 1.25 / 3.75]
    assert weights_of(log) == pytest.approx(expected, abs=1e-15)
