"""What a ledger says was undone is undone, and the order is led to where it was."""

from leadline.judging.ledger import Entry, Replay, in_force
from leadline.judging.order import orders
from tests.collections import Small

DOCS = ["a", "b", "c", "d"]


def test_undo_takes_back_the_last_act_of_that_person_only() -> None:
    one, two = Entry("judge", "1", "a", 1, "x"), Entry("judge", "1", "a", 2, "y")
    assert in_force([one, two, Entry("undo", "1", "a", who="x")]) == [two]
    assert in_force([one, Entry("undo", "1", "b", who="x")]) == [one]
    again = Entry("judge", "1", "a", 0, "x")
    assert in_force([one, Entry("undo", "1", "a", who="x"), again]) == [again]


def test_only_the_last_of_several_acts_is_taken_back() -> None:
    skipped, judged = Entry("skip", "1", "a", who="x"), Entry("judge", "1", "a", 1, "x")
    undo = Entry("undo", "1", "a", who="x")
    assert in_force([skipped, judged, undo]) == [skipped]
    assert in_force([skipped, judged, undo, undo]) == []


def replay_over(name: str) -> Replay:
    runs, _ = Small({"r": {"1": DOCS}}, {"1": {}}, 1).tables()
    order = orders.parse(name)
    return Replay(order.start(runs), order)


def test_an_order_that_learns_is_asked_as_often_as_the_ledger_says() -> None:
    replay = replay_over("MoveToFront")
    assert replay.order.learns_from_asking
    replay.meet(0, 1)
    assert (replay.handed, replay.ahead) == (1, [])
    # Three were out before the third was answered: the second still waits.
    replay.meet(2, 3)
    assert [choice.pair for choice in replay.ahead] == [1]
    assert [choice.pair for choice in replay.stepper.next(1)] == [3]


def test_one_that_does_not_learn_is_not_asked_for_what_is_answered_at_once() -> None:
    replay = replay_over("MoffatA(p=0.8)")
    assert not replay.order.learns_from_asking
    replay.meet(0, 1)
    assert replay.handed == 1
    assert [choice.pair for choice in replay.stepper.next(1)] == [0]


def test_a_ledger_of_another_order_is_only_told() -> None:
    replay = replay_over("MoveToFront")
    replay.meet(3, 1)
    assert replay.lost
    assert replay.ahead == []
    # What was handed out and never answered is free again.
    assert [choice.pair for choice in replay.stepper.next(1)] == [0]
    replay.meet(1, 9)
    assert replay.handed == 1
