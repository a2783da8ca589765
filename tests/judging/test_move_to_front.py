"""Move to front: a run gives documents for as long as they are relevant."""

import pytest

from tests.judging.twins import Twin, asked, check_twin
from tests.reference import orders_by_run as plain

TWINS: dict[str, Twin] = {
    "MoveToFront": lambda runs: plain.MoveToFront(runs),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


RANKINGS = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}


def test_a_run_goes_on_until_it_fails() -> None:
    assert asked("MoveToFront", RANKINGS, {"a": 1, "b": 1}, 4) == ["a", "b", "c", "d"]
    # Both have failed once: the first by name goes on.
    assert asked("MoveToFront", RANKINGS, {}, 4) == ["a", "d", "b", "e"]


def test_what_counts_as_relevant_is_asked_for() -> None:
    assert asked("MoveToFront(rel=2)", RANKINGS, {"a": 1}, 2) == ["a", "d"]
    assert asked("MoveToFront", RANKINGS, {"a": 1}, 2) == ["a", "b"]
