"""Method C: runs that are likely to be best draw the judgments."""

import pytest

from leadline.orders.order import orders
from tests.orders.twins import Twin, asked, check_trec8, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "MethodC(p=0.8)": lambda runs: plain.MethodC(runs, 0.8),
    "MethodC(p=0.5, scope=topic)": lambda runs: plain.MethodC(runs, 0.5, "topic"),
    "MethodC(p=0.9, batch=4, power=2.0)": lambda runs: plain.MethodC(runs, 0.9, "mean", 4, 2),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_a_run_that_is_found_good_draws_more() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    good, bad = (asked("MethodC(p=0.5)", rankings, {"a": grade}, 2) for grade in (1, 0))
    assert good[0] == bad[0] == "a"
    # Found: x has 1/2 and 1/2 open, its b weighs 1/4; y's d weighs 1/2 with 1 open.
    # 1/4 * 1/2 * (3/4)^3 = 0.053 and 1/2 * 1 * (1/2)^3 = 0.0625.
    assert bad[1] == "d"
    assert good[1] == "d"
    assert asked("MethodC(p=0.5, power=9)", rankings, {"a": 1}, 2) == ["a", "b"]


def test_within_a_batch_grades_decide_nothing() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}
    name = "MethodC(p=0.5, batch=3, power=9)"
    assert asked(name, rankings, {"a": 1}, 3) == asked(name, rankings, {}, 3)


def test_a_negative_power_is_refused() -> None:
    with pytest.raises(ValueError, match="power must not be negative"):
        orders.parse("MethodC(p=0.8, power=-1)")


def test_first_steps_on_some_runs_of_trec8_are_the_twins() -> None:
    check_trec8("MethodC(p=0.8)", TWINS["MethodC(p=0.8)"], 30, every=11)


@pytest.mark.slow
def test_the_first_500_steps_on_trec8_are_the_twins() -> None:
    check_trec8("MethodC(p=0.8)", TWINS["MethodC(p=0.8)"], 500)
