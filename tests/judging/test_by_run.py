"""Topics take turns, and in each the most promising run gives its best unjudged document."""

import numpy as np
import pytest

from leadline.data.arrays import Floats
from leadline.data.runs import Runs
from leadline.judging.bandits import ByRun
from leadline.judging.order import orders
from tests.collections import Small

LISTS = {
    "x": {"1": ["a", "b", "c"], "2": ["a"]},
    "y": {"1": ["b", "d"], "2": ["b", "c"]},
}
RUNS = Small(LISTS, {"1": {}, "2": {}}, 1).tables()[0]


class Favoured(ByRun):
    """One run before the other, whatever comes; what was learnt is kept."""

    def __init__(self, runs: Runs, merits: list[float]) -> None:
        super().__init__(runs, rel=1)
        self.merits = np.array(merits)
        self.learnt: list[tuple[int, int, bool]] = []

    def merit(self, topic: int) -> Floats:
        return self.merits

    def learn(self, run: int, topic: int, relevant: bool) -> None:
        self.learnt.append((run, topic, relevant))


def names(stepper: ByRun, k: int = 99) -> list[tuple[str, str]]:
    return [RUNS.pairs.name(choice.pair) for choice in stepper.next(k)]


def test_topics_take_turns_and_a_list_that_ends_gives_way() -> None:
    assert names(Favoured(RUNS, [2.0, 1.0])) == [
        ("1", "a"),
        ("2", "a"),
        ("1", "b"),
        ("2", "b"),
        ("1", "c"),
        ("2", "c"),
        ("1", "d"),
    ]


def test_of_equals_the_first_by_name_is_asked() -> None:
    assert names(Favoured(RUNS, [1.0, 1.0]), 1) == [("1", "a")]
    assert names(Favoured(RUNS, [1.0, 1.1]), 1) == [("1", "b")]


def test_only_the_run_that_was_asked_learns() -> None:
    stepper = Favoured(RUNS, [1.0, 2.0])
    (choice,) = stepper.next()
    # b is in the lists of both; y was asked.
    stepper.tell(choice.pair, 1)
    assert stepper.learnt == [(1, 0, True)]
    stepper.tell(RUNS.pairs.number("1", "a"), 0)
    assert len(stepper.learnt) == 1


def test_what_is_spent_teaches_nothing_and_what_is_released_comes_again() -> None:
    stepper = Favoured(RUNS, [2.0, 1.0])
    first, second = stepper.next(2)
    stepper.spend(first.pair)
    stepper.release(second.pair)
    left = names(stepper)
    assert ("1", "a") not in left
    assert ("2", "a") in left
    stepper.tell(first.pair, 1)
    assert stepper.learnt == []


@pytest.mark.parametrize("name", ["MoveToFront", "MaxMean(rate=0.5)", "MaxMean", "Thompson"])
def test_a_grade_that_is_taken_back_leaves_no_trace(name: str) -> None:
    order = orders.parse(name)
    corrected, straight = order.start(RUNS), order.start(RUNS)
    asked = [choice.pair for choice in corrected.next(4)]
    assert [choice.pair for choice in straight.next(4)] == asked
    for pair in asked:
        corrected.tell(pair, 1)
    for pair in asked[:2]:
        assert corrected.retract(pair, 1)
    for pair in asked[2:]:
        straight.tell(pair, 1)
    for pair in asked[:2]:
        corrected.tell(pair, 0)
        straight.tell(pair, 0)
    assert [choice.pair for choice in corrected.next(9)] == [c.pair for c in straight.next(9)]


def test_what_was_spent_by_mistake_is_learnt_from_after_all() -> None:
    stepper = orders.parse("MoveToFront").start(RUNS)
    (choice,) = stepper.next()
    stepper.spend(choice.pair)
    assert stepper.retract(choice.pair, None)
    stepper.tell(choice.pair, 0)
    assert isinstance(stepper, ByRun)
    assert stepper.merit(0).tolist() == [-1.0, 0.0]
