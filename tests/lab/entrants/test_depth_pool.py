"""The first pairs by rank, and an estimator."""

import numpy as np
import pytest

from leadline.lab.benchmark.entrants.pools import DepthPool
from leadline.lab.benchmark.question import Truth
from tests.lab.asked import everything, question


def test_the_best_ranks_are_judged_and_as_many_as_were_paid_for() -> None:
    asked = question("scores", 60)
    DepthPool("").answer(asked)
    best = asked.runs.best_rank
    judged = asked.known.judged
    assert asked.judgments == 60
    assert best[judged].max() <= best[~judged].min()


@pytest.mark.parametrize("entrant", DepthPool.variants(), ids=lambda each: each.title)
def test_who_judges_all_is_right(entrant: DepthPool) -> None:
    asked = everything()
    off = np.abs(entrant.answer(asked).value - Truth.of(asked).value)
    # What lies beyond the last rank that is looked at weighs a thousandth.
    assert off.max() < 2e-3
