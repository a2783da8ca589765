"""What every order promises while several documents are out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.judging.order import FixedOrder, Order, orders
from tests.collections import Small, small_collections
from tests.tries import tries

NAMES = [
    "DepthFirst(p=0.8)",
    "MoffatA(p=0.7)",
    "MoffatB(p=0.8, scope=topic, batch=3)",
    "MoffatC(p=0.8)",
    "MoffatC(p=0.9, batch=4, power=2.0)",
    "ProjectedC(p=0.8)",
    "CertainWinner(p=0.8)",
    "MoveToFront",
    "MaxMean(rate=0.0)",
    "Random(seed=3)",
    "TopicSample",
    "Thompson",
    "LikelyWinner(measure='P@3', pilot=2, batch=2, audit=0.5)",
]


@given(small_collections(n_docs=7, n_runs=4), st.data())
@tries(20)
def test_pairs_that_are_out_are_not_handed_out_again(small: Small, data: st.DataObject) -> None:
    runs, judgments = small.tables()
    for name in NAMES:
        stepper = orders.parse(name).start(runs)
        out: list[int] = []
        for _ in range(6):
            chosen = [choice.pair for choice in stepper.next(data.draw(st.integers(1, 3)))]
            assert not set(chosen) & set(out)
            out += chosen
            if out and data.draw(st.booleans()):
                back = data.draw(st.sampled_from(out))
                if data.draw(st.booleans()):
                    stepper.tell(back, int(judgments.grade[back]))
                else:
                    stepper.release(back)
                    out.remove(back)


@given(small_collections(n_docs=7, n_runs=4))
@tries(20)
def test_known_judgments_are_not_asked_for(small: Small) -> None:
    runs, judgments = small.tables()
    for name in NAMES:
        stepper = orders.parse(name).start(runs, judgments)
        asked = [choice.pair for choice in stepper.next(1000)]
        assert len(asked) == len(set(asked))
        assert not judgments.judged[asked].any()


def test_every_order_that_is_registered_is_tried_here() -> None:
    ours = {type(orders.parse(name)).__name__ for name in NAMES}
    labelled = {name for name, order in orders.classes().items() if order.needs_labels}
    # test_two_runs.py tries SampledBatches, which needs the names of two runs.
    assert ours | labelled | {"SampledBatches"} == set(orders.classes())


def test_a_stepper_that_resumes_was_told_all_judgments() -> None:
    small = Small({"r": {"1": ["a", "b", "c"]}}, {"1": {"a": 1, "c": 0}}, 1)
    runs, known = small.tables()
    stepper = FixedOrder(runs.pair.astype("int64"), None, len(runs.pairs))
    again = Order.resume(stepper, known)
    assert again is stepper
    assert [runs.pairs.name(choice.pair)[1] for choice in stepper.next(9)] == ["b"]
    fresh = FixedOrder(runs.pair.astype("int64"), None, len(runs.pairs))
    assert len(Order.resume(fresh, None).next(9)) == 3


@pytest.mark.parametrize("name", NAMES)
def test_what_is_taken_back_is_out_again_or_cannot_be(name: str) -> None:
    runs, _ = Small({"r": {"1": ["a", "b", "c"]}, "s": {"1": ["c"]}}, {"1": {}}, 1).tables()
    stepper = orders.parse(name).start(runs)
    (first,) = stepper.next()
    stepper.tell(first.pair, 1)
    if stepper.retract(first.pair, 1):
        assert first.pair not in {choice.pair for choice in stepper.next(9)}
        stepper.release(first.pair)
        assert first.pair in {choice.pair for choice in stepper.next(9)}
