"""A stepper beside its plain twin: both are asked, both are told, and must agree."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.data.runs import Runs
from leadline.judging import by_weight as heaviest
from leadline.judging.order import Stepper, orders
from tests.collections import Small, small_collections
from tests.reference import orders as plain
from tests.shared_data.where import collection
from tests.tries import tries

Twin = Callable[[plain.Runs], object]


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
        told = answer if twin.graded else answer >= 1  # type: ignore[attr-defined]
        twin.tell(pair, told)  # type: ignore[attr-defined]
    return most


def check_twin(name: str, twin: Twin) -> None:
    """On small collections every step is the twin's.

    With few pairs at hand, so that the lazy search is put to the test too.
    """

    @given(small=small_collections(n_docs=7, n_runs=4), at_hand=st.integers(1, 6))
    @tries(20)
    def check(small: Small, at_hand: int) -> None:
        runs, judgments = small.tables()
        before, heaviest.AT_HAND = heaviest.AT_HAND, at_hand
        try:
            stepper = orders.parse(name).start(runs)
            listed = list(small.runs.values())
            follow(stepper, twin(listed), runs, lambda pair: int(judgments.grade[pair]), 1000)
        finally:
            heaviest.AT_HAND = before

    check()


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


def check_trec8(name: str, twin: Twin, steps: int, every: int = 1) -> None:
    """On every so many runs of TREC-8, the first steps are the twin's."""
    folder = collection("trec8_adhoc")
    paths = sorted((folder / "runs").iterdir())[::every]
    read = leadline.read(folder / "qrels.txt.gz", paths)
    runs, listed = cut(read.runs, 45)
    stepper = orders.parse(name).start(runs)
    grade = read.judgments.grade
    assert follow(stepper, twin(listed), runs, lambda pair: int(grade[pair]), steps) == steps


def asked(name: str, rankings: dict[str, list[str]], grades: dict[str, int], n: int) -> list[str]:
    """The first n documents that an order asks for on one topic, each answered at once."""
    runs = Small({run: {"1": docs} for run, docs in rankings.items()}, {"1": {}}, 1).tables()[0]
    stepper = orders.parse(name).start(runs)
    found: list[str] = []
    while len(found) < n and (chosen := stepper.next()):
        doc = runs.pairs.name(chosen[0].pair)[1]
        found.append(doc)
        stepper.tell(chosen[0].pair, grades.get(doc, 0))
    return found
