"""Weights by what was found and what is open: of all topics, or of the pair's own; in batches."""

import numpy as np
import pytest

from leadline.judging.by_weight import MoffatB
from leadline.judging.order import orders
from tests.collections import Small

LISTS = {"x": {"1": ["a", "b"], "2": ["c", "d"]}, "y": {"1": ["e", "f"], "2": ["g", "h"]}}
RUNS = Small(LISTS, {"1": {}, "2": {}}, 1).tables()[0]


def test_a_topic_has_its_own_rest_in_scope_topic() -> None:
    lists = {"x": {"1": ["a"], "2": ["c"]}, "y": {"2": ["g"]}}
    runs = Small(lists, {"1": {}, "2": {}}, 1).tables()[0]
    found = {}
    for scope in ("mean", "topic"):
        stepper = orders.parse(f"MoffatB(p=0.5, scope={scope})").start(runs)
        found[scope] = [runs.pairs.name(choice.pair)[1] for choice in stepper.next(2)]
    # After a, run x has less open than y over all topics, but as much on topic 2.
    assert found == {"mean": ["a", "g"], "topic": ["a", "c"]}


def test_a_batch_keeps_its_weights() -> None:
    stepper = MoffatB(p=0.5, batch=3).start(RUNS)
    chosen = stepper.next(3)
    assert len({choice.weight for choice in chosen}) == 1
    assert MoffatB(p=0.5, batch=3).learns_from_asking
    assert not MoffatB(p=0.5).learns_from_asking


def test_weights_are_sums_of_share_times_factor() -> None:
    (first,) = MoffatB(p=0.5).start(RUNS).next()
    # The first document of x has the share 1 - p, and all of x is open.
    assert first.weight == pytest.approx(0.5)


def test_what_is_taken_back_counts_no_more() -> None:
    told, never = (orders.parse("MoffatC(p=0.5)").start(RUNS) for _ in range(2))
    (choice,) = told.next()
    assert never.next() == [choice]
    told.tell(choice.pair, 1)
    assert told.retract(choice.pair, 1)
    told.release(choice.pair)
    never.release(choice.pair)
    mine, theirs = told.next(4), never.next(4)
    assert [each.pair for each in mine] == [each.pair for each in theirs]
    assert np.allclose([each.weight or 0 for each in mine], [each.weight or 0 for each in theirs])


def test_grades_below_rel_find_nothing() -> None:
    low, none = (orders.parse("MoffatC(p=0.5, rel=2)").start(RUNS) for _ in range(2))
    for stepper, grade in ((low, 1), (none, 0)):
        (choice,) = stepper.next()
        stepper.tell(choice.pair, grade)
    assert low.next(3) == none.next(3)


@pytest.mark.parametrize(("text", "told"), [("p=0.5, batch=0", "batch must be"), ("p=1", "p must")])
def test_parameters_without_sense_are_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        orders.parse(f"MoffatB({text})")
