"""An order that is known from the start, but for what was judged meanwhile."""

import numpy as np

from leadline.judging.order import FixedOrder


def stepper(weight: bool = False) -> FixedOrder:
    pairs = np.array([4, 0, 2])
    return FixedOrder(pairs, np.array([3.0, 2.0, 1.0]) if weight else None, 5)


def pairs(of: FixedOrder, k: int = 9) -> list[int]:
    return [choice.pair for choice in of.next(k)]


def test_pairs_come_once_in_their_order() -> None:
    made = stepper()
    assert pairs(made, 2) == [4, 0]
    assert pairs(made) == [2]
    assert pairs(made) == []


def test_weights_go_with_their_pairs() -> None:
    made = stepper(weight=True)
    made.tell(4, 1)
    assert [(choice.pair, choice.weight) for choice in made.next(9)] == [(0, 2.0), (2, 1.0)]
    assert stepper().next()[0].weight is None


def test_what_is_told_or_spent_is_passed_over() -> None:
    made = stepper()
    made.tell(0, 1)
    made.spend(2)
    # A pair that is not in the order changes nothing.
    made.tell(1, 1)
    assert pairs(made) == [4]


def test_what_is_released_comes_back_in_its_place() -> None:
    made = stepper()
    assert pairs(made) == [4, 0, 2]
    made.release(2)
    made.release(4)
    assert pairs(made) == [4, 2]
    made.release(1)
    assert pairs(made) == []
