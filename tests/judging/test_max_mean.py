"""MaxMean: the run most likely to give a relevant document."""

import pytest

from leadline.judging.order import orders
from tests.judging.twins import Twin, asked, check_twin
from tests.reference import orders_by_run as plain

TWINS: dict[str, Twin] = {
    "MaxMean": lambda runs: plain.MaxMean(runs, 1.0),
    "MaxMean(rate=0.0)": lambda runs: plain.MaxMean(runs, 0.0),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


RANKINGS = {"x": ["a", "b", "c"], "y": ["d", "e", "f"]}


def test_all_judgments_count_or_the_last_alone() -> None:
    # Of a and b one was relevant: 2/4, as for y, of which nothing is known; x is first by name.
    assert asked("MaxMean", RANKINGS, {"a": 1}, 3) == ["a", "b", "c"]
    # The last alone: b was not, 1/3 against y's 1/2.
    assert asked("MaxMean(rate=0.0)", RANKINGS, {"a": 1}, 3) == ["a", "b", "d"]


def test_a_failure_turns_to_the_other() -> None:
    assert asked("MaxMean", RANKINGS, {}, 2) == ["a", "d"]


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_rate_without_sense_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate must be between 0 and 1"):
        orders.parse(f"MaxMean(rate={rate})")
