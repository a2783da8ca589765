"""Pools without some of their runs equal pools built again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.io.datasets import COLLECTION
from leadline.pooling.strategies import Stratified, pools
from leadline.pooling.without import BestRanks, DrawnPool, SampledPool
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


@pytest.mark.parametrize(
    "name",
    ["Depth(d=5)", "UniformSample(d=20, rate=0.4)", "TwoStrata(d=5, deep=20, rate=0.3)"],
)
@pytest.mark.parametrize("some", [True, False])
def test_a_pool_that_was_drawn_elsewhere_is_known_by_its_strata(name: str, some: bool) -> None:
    """Rates and numbers agree with the pool, from whichever runs it was drawn."""
    runs = leadline.read(COLLECTION).runs
    everyone = np.ones(len(runs.names), np.bool_)
    few = np.arange(len(runs.names)) < 9
    chosen = few if some else everyone
    strategy = pools.parse(name)
    pool = strategy.pool(runs.only(chosen), 5)
    found = SampledPool.of(pool, runs, [few, everyone], 1)
    assert found.depth == strategy.last_rank
    assert [rate for _, rate in found.strategy.layers] == [rate for _, rate in strategy.layers]
    assert (found.member(runs.only(chosen).best_rank) == pool.member).all()


def test_a_member_that_falls_to_a_stratum_of_half_the_rate_stays_half_the_time() -> None:
    runs = leadline.read(COLLECTION).runs
    everyone = np.ones(len(runs.names), np.bool_)
    pool = pools.parse("Stratified(strata=[(10, 0.8), (20, 0.4)])").pool(runs, 2)
    found = SampledPool.of(pool, runs, [everyone], 3)
    first = np.flatnonzero(pool.member & (pool.stratum == 0))
    stays = found.member(np.full(len(first), 15, np.int32), first)
    assert stays.mean() == pytest.approx(0.5, abs=4 * (0.25 / len(first)) ** 0.5)


def test_a_pool_without_strata_of_best_ranks_is_refused() -> None:
    runs = leadline.read(COLLECTION).runs
    everyone = np.ones(len(runs.names), np.bool_)
    pool = pools.parse("UniformSample(d=20, rate=0.4)").pool(runs, 2)
    uneven = replace(pool, inclusion=np.where(np.arange(len(pool.member)) % 2, 1.0, 0.5))
    with pytest.raises(ValueError, match=r"inclusion probabilities from 0\.5 to 1"):
        SampledPool.of(replace(uneven, stratum=np.zeros_like(pool.stratum)), runs, [everyone])
    mixed = np.where(np.arange(len(pool.member)) % 2, 1, pool.stratum).astype(np.int16)
    with pytest.raises(ValueError, match="share best rank"):
        SampledPool.of(replace(pool, stratum=mixed), runs, [everyone])
