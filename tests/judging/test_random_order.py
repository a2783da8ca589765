"""A random order: drawn by the seed, whatever the runs."""

import pytest

from tests.judging.twins import Twin, asked, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "Random(seed=3)": lambda runs: plain.RandomOrder(runs, 3),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_the_seed_decides_and_the_rankings_do_not() -> None:
    docs = [f"d{number}" for number in range(20)]
    first = asked("Random(seed=1)", {"x": docs}, {}, 99)
    assert sorted(first) == sorted(docs)
    assert asked("Random(seed=1)", {"x": docs[::-1]}, {"d1": 1}, 99) == first
    assert asked("Random(seed=2)", {"x": docs}, {}, 99) != first


def test_fewer_runs_leave_the_others_in_their_order() -> None:
    docs = [f"d{number}" for number in range(20)]
    whole = asked("Random", {"x": docs[:10], "y": docs[10:]}, {}, 99)
    assert asked("Random", {"x": docs[:10]}, {}, 99) == [d for d in whole if d in docs[:10]]
