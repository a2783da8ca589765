"""Method B: runs of which most is open weigh most."""

import pytest

from tests.judging.twins import Twin, asked, check_trec8, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "MoffatB(p=0.8)": lambda runs: plain.MoffatB(runs, 0.8),
    "MoffatB(p=0.8, scope=topic, batch=3)": lambda runs: plain.MoffatB(runs, 0.8, "topic", 3),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_grades_change_nothing_and_what_is_open_does() -> None:
    # x and y share a; once it is judged, z, of which nothing is, comes before their second.
    rankings = {"x": ["a", "b"], "y": ["a", "c"], "z": ["d", "e"]}
    orders = [asked("MoffatB(p=0.5)", rankings, grades, 3) for grades in ({}, {"a": 1})]
    assert orders == [["a", "d", "b"]] * 2


def test_first_steps_on_some_runs_of_trec8_are_the_twins() -> None:
    check_trec8("MoffatB(p=0.8)", TWINS["MoffatB(p=0.8)"], 30, every=11)


@pytest.mark.slow
def test_the_first_500_steps_on_trec8_are_the_twins() -> None:
    check_trec8("MoffatB(p=0.8)", TWINS["MoffatB(p=0.8)"], 500)
