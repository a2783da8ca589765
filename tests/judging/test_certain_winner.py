"""CertainWinner: what decides between the leader and those that can still beat it."""

import numpy as np
import pytest

from leadline.judging.order import orders
from tests.collections import Small
from tests.judging.twins import Twin, asked, check_trec8, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "CertainWinner(p=0.8)": lambda runs: plain.CertainWinner(runs, 0.8),
    "CertainWinner(measure='nDCG@3')": lambda runs: plain.ShareDifference(runs, 3),
    "CertainWinner(measure='nDCG(gains=exp2)@2')": lambda runs: plain.ShareDifference(
        runs, 2, True
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_what_all_have_at_the_same_rank_is_not_asked_for() -> None:
    rankings = {"x": ["same", "a"], "y": ["same", "b"]}
    assert set(asked("CertainWinner(p=0.5)", rankings, {}, 9)) <= {"a", "b"}


def test_when_nobody_can_beat_the_leader_it_ends() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "b", "c"]}
    # With a relevant y can draw level by d, and the rest is shared.
    assert asked("CertainWinner(p=0.5)", rankings, {"a": 1}, 9) == ["a"]
    assert asked("CertainWinner(p=0.5)", rankings, {}, 9) == ["a", "d"]


def test_chance_tells_which_answer_is_expected() -> None:
    rankings = {"x": ["a"], "y": ["b"]}
    first = {
        chance: asked(f"CertainWinner(p=0.5, chance={chance})", rankings, {}, 1)[0]
        for chance in (0.1, 0.9)
    }
    # x leads by name. If documents are seldom relevant, y's is likely to settle it, else x's.
    assert first == {0.1: "b", 0.9: "a"}


@pytest.mark.parametrize("chance", [0, 1, -0.5])
def test_a_chance_without_sense_is_refused(chance: float) -> None:
    with pytest.raises(ValueError, match="chance must lie between 0 and 1"):
        orders.parse(f"CertainWinner(p=0.8, chance={chance})")


def test_first_steps_on_some_runs_of_trec8_are_the_twins() -> None:
    check_trec8("CertainWinner(p=0.8)", TWINS["CertainWinner(p=0.8)"], 30, every=11)


@pytest.mark.slow
def test_the_first_500_steps_on_trec8_are_the_twins() -> None:
    """On every third run: the twin takes seconds a step."""
    check_trec8("CertainWinner(p=0.8)", TWINS["CertainWinner(p=0.8)"], 500, every=3)


def test_a_measure_by_name_decides() -> None:
    """P@2 of x over a, b and y over b, c: b is in both, a and c decide; below rank 2 nothing."""
    rankings = {"x": ["a", "b", "d"], "y": ["b", "c", "e"]}
    assert set(asked("CertainWinner(measure='P@2')", rankings, {}, 9)) == {"a", "c"}
    assert "d" not in asked("CertainWinner(measure='nDCG@2')", rankings, {}, 9)


@pytest.mark.parametrize("text", ["CertainWinner", "CertainWinner(p=0.8, measure='P@5')"])
def test_p_or_a_measure_is_wanted(text: str) -> None:
    with pytest.raises(ValueError, match="one of them"):
        orders.parse(text)


def test_a_measure_without_weights_is_refused() -> None:
    with pytest.raises(ValueError, match="no sum of weights"):
        orders.parse("CertainWinner(measure='AP')")


def test_a_better_document_counts_for_more() -> None:
    """x and y each have one relevant document first; z's and y's are still to be judged below.

    Binary, x and y are level; with grades x leads, and y can only draw level by what it has second.
    """
    rankings = {"x": ["a", "b"], "y": ["c", "d"]}
    grades = {"a": 3, "c": 1}
    by_grade = asked("CertainWinner(measure='nDCG@2')", rankings, grades, 9)
    by_binary = asked("CertainWinner(measure='nDCG(gains=binary)@2')", rankings, grades, 9)
    assert by_grade == ["a", "c"]
    assert set(by_binary) == {"a", "b", "c", "d"}


@pytest.mark.parametrize("grade", [1, 3])
def test_a_grade_that_is_taken_back_leaves_no_trace(grade: int) -> None:
    lists = {"x": {"1": ["a", "c"], "2": ["e"]}, "y": {"1": ["b", "d"], "2": ["f"]}}
    runs = Small(lists, {"1": {}, "2": {}}, 1).tables()[0]
    order = orders.parse("CertainWinner(measure='nDCG@2')")
    told, fresh = order.start(runs), order.start(runs)
    pair = runs.pairs.number("1", "a")
    for other in ("b", "a"):
        told.tell(runs.pairs.number("1", other), grade if other == "a" else 1)
    fresh.tell(runs.pairs.number("1", "b"), 1)
    assert told.retract(pair, grade)
    told.release(pair)
    found, expected = told.next(9), fresh.next(9)
    assert [choice.pair for choice in found] == [choice.pair for choice in expected]
    weights = [choice.weight for choice in found]
    assert weights == pytest.approx([choice.weight for choice in expected], rel=1e-9)


@pytest.mark.parametrize("text", ["CertainWinner(p=0.8)", "CertainWinner(measure='nDCG@5')"])
def test_judgments_told_at_once_are_judgments_told_one_by_one(text: str) -> None:
    rng = np.random.default_rng(3)
    docs = [f"d{at}" for at in range(12)]
    lists = {
        run: {topic: rng.permutation(docs)[:9].tolist() for topic in "12345"} for run in "wxyz"
    }
    grades = {
        topic: {doc: int(rng.integers(3)) for doc in rng.choice(docs, 5, replace=False).tolist()}
        for topic in "12345"
    }
    runs, judgments = Small(lists, grades, 2).tables()
    order = orders.parse(text)
    at_once, one_by_one = order.start(runs, judgments), order.start(runs)
    for pair in np.flatnonzero(judgments.judged).tolist():
        one_by_one.tell(pair, int(judgments.grade[pair]))
    found, expected = at_once.next(40), one_by_one.next(40)
    assert len(found) > 5
    assert [choice.pair for choice in found] == [choice.pair for choice in expected]
    weights = [choice.weight for choice in found]
    assert weights == pytest.approx([choice.weight for choice in expected], rel=1e-9)
