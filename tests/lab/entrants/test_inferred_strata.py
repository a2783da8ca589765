"""Two strata with xinfAP and infNDCG."""

import numpy as np
import pytest

from leadline.lab.benchmark.entrants.pools import InferredStrata, half_first
from leadline.pooling.strategies import Depth
from tests.lab.asked import part, question


def test_half_of_the_budget_goes_to_the_first_ranks() -> None:
    runs = part().runs
    n = 2 * len(Depth(2).pool(runs))
    pool = half_first(runs, n, 0)
    assert (pool.inclusion == 1).sum() == len(Depth(2).pool(runs))
    assert pool.inclusion.sum() == pytest.approx(n, rel=0.01)


def test_where_the_first_rank_is_too_dear_all_have_the_same_chance() -> None:
    pool = half_first(part().runs, 10, 0)
    assert len(np.unique(pool.inclusion[pool.inclusion > 0])) == 1


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_about_the_budget_is_spent_and_scores_are_told(measure: str) -> None:
    asked = question("scores", 60, measure)
    answer = InferredStrata().answer(asked)
    assert abs(asked.judgments - 60) < 4 * 60**0.5
    assert ((answer.value > 0) & (answer.value < 1.2)).all()


def test_other_measures_are_refused() -> None:
    with pytest.raises(ValueError, match="infer AP and nDCG, not RBP"):
        InferredStrata().answer(question("scores", 60))
