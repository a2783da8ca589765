"""Pools without some of their runs equal pools built again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.pooling.strategies import Stratified
from leadline.pooling.without import BestRanks, DrawnPool
from tests.collections import Small, small_collections
from tests.tries import tries

STRATA = (((2, 1.0),), ((1, 1.0), (3, 0.5)), ((4, 0.6), (4, 0.3)))


@given(
    small=small_collections(n_docs=8, n_runs=4),
    strata=st.sampled_from(STRATA),
    seed=st.integers(0, 20),
)
@tries(15)
def test_a_pool_without_a_run_is_that_of_the_others(
    small: Small, strata: tuple[tuple[int, float], ...], seed: int
) -> None:
    runs, _ = small.tables()
    strategy = Stratified(strata)
    drawn = DrawnPool(strategy, runs, seed)
    ranks = BestRanks.of(runs, np.arange(len(runs.names)))
    assert (ranks.best == runs.best_rank).all()
    for run in range(len(runs.names)):
        others = runs.only(np.arange(len(runs.names)) != run)
        assert (ranks.without(run) == others.best_rank).all()
        again = strategy.pool(others, seed).member
        assert (drawn.member(ranks.without(run)) == again).all()


def test_a_pool_of_fixed_size_cannot_be_filtered() -> None:
    runs, _ = Small({"a": {"1": ["x"]}}, {"1": {"x": 1}}, 1).tables()
    with pytest.raises(ValueError, match="fixed size"):
        DrawnPool(Stratified(((2, 0.5),), size="fixed"), runs)
