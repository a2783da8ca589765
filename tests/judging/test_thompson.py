"""Thompson: runs are played as far as they are believed in."""

import numpy as np
import pytest

from leadline.judging.order import orders
from tests.judging.twins import Twin, asked, check_twin
from tests.reference import orders_by_run as plain

TWINS: dict[str, Twin] = {
    "Thompson": lambda runs: plain.Thompson(runs, 0),
    "Thompson(seed=7)": lambda runs: plain.Thompson(runs, 7),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


GOOD = [f"g{at:02}" for at in range(40)]
BAD = [f"b{at:02}" for at in range(40)]


def test_a_run_that_gives_relevant_documents_is_played_most() -> None:
    played = asked("Thompson", {"bad": BAD, "good": GOOD}, dict.fromkeys(GOOD, 1), 40)
    assert np.mean([doc[0] == "g" for doc in played]) > 0.75
    assert any(doc[0] == "b" for doc in played), "the other is tried too"


def test_another_seed_plays_otherwise() -> None:
    rankings = {"x": BAD, "y": GOOD}
    first, second = (asked(f"Thompson(seed={seed})", rankings, {}, 20) for seed in (1, 2))
    assert first != second


def test_a_seed_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="seed must be 0 or more"):
        orders.parse("Thompson(seed=-1)")
