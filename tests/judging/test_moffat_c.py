"""Method C: runs that are likely to be best draw the judgments."""

import numpy as np
import pytest

from leadline.data.judgments import Judgments
from leadline.judging.order import orders
from tests.collections import Small
from tests.judging.twins import Twin, asked, check_trec8, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "MoffatC(p=0.8)": lambda runs: plain.MoffatC(runs, 0.8),
    "MoffatC(p=0.5, scope=topic)": lambda runs: plain.MoffatC(runs, 0.5, "topic"),
    "MoffatC(measure='RBP(p=0.5, gains=linear)')": lambda runs: plain.GradedC(runs, 0.5),
    "MoffatC(p=0.9, batch=4, power=2.0)": lambda runs: plain.MoffatC(runs, 0.9, "mean", 4, 2),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_a_run_that_is_found_good_draws_more() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    good, bad = (asked("MoffatC(p=0.5)", rankings, {"a": grade}, 2) for grade in (1, 0))
    assert good[0] == bad[0] == "a"
    # Found: x has 1/2 and 1/2 open, its b weighs 1/4; y's d weighs 1/2 with 1 open.
    # 1/4 * 1/2 * (3/4)^3 = 0.053 and 1/2 * 1 * (1/2)^3 = 0.0625.
    assert bad[1] == "d"
    assert good[1] == "d"
    assert asked("MoffatC(p=0.5, power=9)", rankings, {"a": 1}, 2) == ["a", "b"]


def test_a_half_relevant_document_draws_less_than_a_relevant_one() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    graded = "MoffatC(measure='RBP(p=0.5, gains=linear, max_grade=2)', power=9)"
    binary = "MoffatC(measure='RBP(p=0.5)', power=9)"
    # By binary gains x has 1/2 and b comes next, as 1/4 * 1/2 * (3/4)^9 > 1/2 * (1/2)^9. By graded
    # ones it has 1/4, and y's d comes next.
    assert asked(binary, rankings, {"a": 1}, 2) == ["a", "b"]
    assert asked(graded, rankings, {"a": 1}, 2) == ["a", "d"]
    assert asked(graded, rankings, {"a": 2}, 2) == ["a", "b"]


def test_a_better_grade_makes_those_before_worth_less() -> None:
    """Told at once or one by one, undone or not, gains are shares of the best grade known."""
    small = Small({"x": {"1": ["a", "b", "c"]}, "y": {"1": ["d", "b"]}}, {"1": {}}, 3)
    runs = small.tables()[0]
    order = orders.parse("MoffatC(measure='RBP(p=0.5, gains=linear)')")
    pair = runs.pairs.find(["1", "1"], ["a", "b"]).tolist()
    told = np.zeros(len(runs.pairs), np.int16)
    told[pair] = [1, 3]
    judgments = Judgments(runs.pairs, told > 0, told, max_grade=3)
    at_once, stepwise, undone = (order.start(runs, each) for each in (judgments, None, judgments))
    for at, grade in zip(pair, (1, 3), strict=True):
        stepwise.tell(at, grade)
    n = len(runs.pairs)
    weights = at_once.weights(0, n)
    assert weights is not None
    # x has (1/2 * 1/3 + 1/4) found and 1/4 open, y 1/4 found and 3/4 open.
    x, y = (r * (found + r / 2) ** 3 for found, r in ((1 / 6 + 1 / 4, 1 / 4), (1 / 4, 3 / 4)))
    place = runs.pairs.find(["1", "1"], ["c", "d"])
    assert weights[place].tolist() == pytest.approx([x / 8, y / 2])
    assert stepwise.weights(0, n) == pytest.approx(weights)
    undone.retract(pair[1], 3)
    undone.tell(pair[1], 1)
    again = order.start(runs)
    for at in pair:
        again.tell(at, 1)
    assert undone.weights(0, n) == pytest.approx(again.weights(0, n))


def test_within_a_batch_grades_decide_nothing() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    name = "MoffatC(p=0.5, batch=3, power=9)"
    assert asked(name, rankings, {"a": 1}, 3) == asked(name, rankings, {}, 3)


def test_a_negative_power_is_refused() -> None:
    with pytest.raises(ValueError, match="power must not be negative"):
        orders.parse("MoffatC(p=0.8, power=-1)")


def test_first_steps_on_some_runs_of_trec8_are_the_twins() -> None:
    check_trec8("MoffatC(p=0.8)", TWINS["MoffatC(p=0.8)"], 30, every=11)


@pytest.mark.slow
def test_the_first_500_steps_on_trec8_are_the_twins() -> None:
    check_trec8("MoffatC(p=0.8)", TWINS["MoffatC(p=0.8)"], 500)
