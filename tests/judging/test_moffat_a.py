"""Method A: what weighs most in all runs, fixed before the first judgment."""

import pytest

from tests.judging.twins import Twin, asked, check_trec8, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "MoffatA(p=0.7)": lambda runs: plain.MoffatA(runs, 0.7),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_grades_change_nothing() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["b", "c", "d"]}
    orders = [asked("MoffatA(p=0.5)", rankings, grades, 9) for grades in ({}, {"a": 1, "d": 1})]
    # By rank 1/2, 1/4 and 1/8: b has 3/4, a 1/2, c 3/8 and d 1/8.
    assert orders == [["b", "a", "c", "d"]] * 2


@pytest.mark.slow
def test_the_first_500_steps_on_trec8_are_the_twins() -> None:
    check_trec8("MoffatA(p=0.7)", TWINS["MoffatA(p=0.7)"], 500)
