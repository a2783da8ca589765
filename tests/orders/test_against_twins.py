"""Every stepper equals its plain twin, step by step."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
from leadline.orders import heaviest
from leadline.orders.order import Stepper, orders
from leadline.tables.runs import Runs
from tests.collections import Small, small_collections
from tests.reference import orders as plain
from tests.shared_data.where import collection

TWINS: dict[str, Callable[[plain.Runs], object]] = {
    "Pooling(p=0.8)": lambda runs: plain.Pooling(runs, 0.8, 0),
    "Pooling(p=0.8, seed=5)": lambda runs: plain.Pooling(runs, 0.8, 5),
    "MethodA(p=0.7)": lambda runs: plain.MethodA(runs, 0.7),
    "MethodB(p=0.8)": lambda runs: plain.MethodB(runs, 0.8),
    "MethodB(p=0.8, scope=topic, batch=3)": lambda runs: plain.MethodB(runs, 0.8, "topic", 3),
    "MethodC(p=0.8)": lambda runs: plain.MethodC(runs, 0.8),
    "MethodC(p=0.5, scope=topic)": lambda runs: plain.MethodC(runs, 0.5, "topic"),
    "MethodC(p=0.9, batch=4, power=2.0)": lambda runs: plain.MethodC(runs, 0.9, "mean", 4, 2),
    "Difference(p=0.8)": lambda runs: plain.Difference(runs, 0.8),
    "MoveToFront": lambda runs: plain.MoveToFront(runs),
    "MaxMean": lambda runs: plain.MaxMean(runs, 1.0),
    "MaxMean(rate=0.0)": lambda runs: plain.MaxMean(runs, 0.0),
    "Random(seed=3)": lambda runs: plain.RandomOrder(runs, 3),
}


def follow(
    stepper: Stepper, twin: object, runs: Runs, grade: Callable[[int], int], most: int
) -> int:
    """Ask both, tell both, and compare; the number of steps taken."""
    for step in range(most):
        chosen = stepper.next()
        expected = twin.next()  # type: ignore[attr-defined]
        if expected is None:
            assert chosen == []
            return step
        pair, weight = expected
        assert chosen, f"the twin goes on with {pair} at step {step}"
        assert runs.pairs.name(chosen[0].pair) == pair, step
        if weight is not None:
            assert chosen[0].weight == pytest.approx(weight, rel=1e-9, abs=1e-15)
        answer = grade(chosen[0].pair)
        stepper.tell(chosen[0].pair, answer)
        twin.tell(pair, answer >= 1)  # type: ignore[attr-defined]
    return most


@pytest.mark.parametrize("name", TWINS)
@given(small=small_collections(n_docs=7, n_runs=4), at_hand=st.integers(1, 6))
@settings(deadline=None, max_examples=60)
def test_every_step_is_the_twins(name: str, small: Small, at_hand: int) -> None:
    """With few pairs at hand, so that the lazy search is put to the test too."""
    runs, judgments = small.tables()
    before, heaviest.AT_HAND = heaviest.AT_HAND, at_hand
    try:
        stepper = orders.parse(name).start(runs)
        twin = TWINS[name](list(small.runs.values()))
        follow(stepper, twin, runs, lambda pair: int(judgments.grade[pair]), 1000)
    finally:
        heaviest.AT_HAND = before


def cut(runs: Runs, depth: int) -> tuple[Runs, plain.Runs]:
    """The runs to a depth, and the same as the twins want them."""
    keep = runs.entries.rank <= depth
    length = np.minimum(runs.stop - runs.start, depth)
    stop = length.cumsum().reshape(length.shape)
    order = np.argsort(runs.start.ravel(), kind="stable")
    assert (np.diff(order) > 0).all(), "lists stand in the order of runs and topics"
    short = Runs(runs.pairs, runs.names, runs.pair[keep], stop - length, stop)
    names = [runs.pairs.name(pair) for pair in short.pair.tolist()]
    listed = [
        {
            topic: [doc for _, doc in names[short.start[r, t] : short.stop[r, t]]]
            for t, topic in enumerate(runs.pairs.topics)
        }
        for r in range(len(runs.names))
    ]
    return short, listed


def check_trec8(name: str, steps: int, every: int = 1) -> None:
    folder = collection("trec8_adhoc")
    paths = sorted((folder / "runs").iterdir())[::every]
    read = leadline.read(folder / "qrels.txt.gz", paths)
    runs, listed = cut(read.runs, 45)
    stepper, twin = orders.parse(name).start(runs), TWINS[name](listed)
    grade = read.judgments.grade
    assert follow(stepper, twin, runs, lambda pair: int(grade[pair]), steps) == steps


@pytest.mark.parametrize("name", ["MethodB(p=0.8)", "MethodC(p=0.8)", "Difference(p=0.8)"])
def test_first_steps_on_some_runs_of_trec8_are_the_twins(name: str) -> None:
    check_trec8(name, 30, every=11)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MethodA(p=0.7)", "MethodB(p=0.8)", "MethodC(p=0.8)"])
def test_the_first_500_steps_on_trec8_are_the_twins(name: str) -> None:
    check_trec8(name, 500)


@pytest.mark.slow
def test_the_first_500_steps_of_difference_on_trec8_are_the_twins() -> None:
    """On every third run: the twin takes seconds a step."""
    check_trec8("Difference(p=0.8)", 500, every=3)


@given(small_collections(n_docs=7, n_runs=4), st.data())
@settings(deadline=None, max_examples=60)
def test_pairs_that_are_out_are_not_handed_out_again(small: Small, data: st.DataObject) -> None:
    runs, judgments = small.tables()
    for name in TWINS:
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
@settings(deadline=None, max_examples=60)
def test_known_judgments_are_not_asked_for(small: Small) -> None:
    runs, judgments = small.tables()
    for name in TWINS:
        stepper = orders.parse(name).start(runs, judgments)
        asked = [choice.pair for choice in stepper.next(1000)]
        assert len(asked) == len(set(asked))
        assert not judgments.judged[asked].any()
