"""Sampled pools equal their plain twins, and stay nested when a run is removed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.pool import Pool
from leadline.pooling.strategies import Stratified, pools
from tests.collections import Small, small_collections
from tests.reference import pools as plain

Members = dict[tuple[str, str], tuple[int, float]]


def members(pool: Pool) -> Members:
    """Strata count from 0 here and from 1 in the twin."""
    return {
        pool.pairs.name(at): (int(pool.stratum[at]) + 1, float(pool.inclusion[at]))
        for at in np.flatnonzero(pool.member)
    }


@given(small_collections(n_docs=9), st.integers(0, 5))
def test_pools_equal_their_twins(small: Small, seed: int) -> None:
    runs, _ = small.tables()
    listed = list(small.runs.values())
    strata = [(2, 1.0), (1, 0.5), (4, 0.3)]
    for name, twin in {
        "UniformSample(d=5, rate=0.4)": plain.sampled(listed, 5, 0.4, seed),
        "TwoStrata(d=2, deep=6, rate=0.5)": plain.two_strata(listed, 2, 6, 0.5, seed),
        "Stratified(strata=[(2, 1), (1, 0.5), (4, 0.3)])": plain.stratified(listed, strata, seed),
    }.items():
        assert members(pools.parse(name).pool(runs, seed)) == twin, name


@given(small_collections(n_docs=9, n_runs=4), st.integers(0, 3))
def test_a_pool_without_a_run_lies_inside_the_whole_one(small: Small, gone: int) -> None:
    if len(small.runs) < 2:
        return
    names = list(small.runs)
    fewer = Small(
        {name: lists for name, lists in small.runs.items() if name != names[gone % len(names)]},
        small.grades,
        small.max_grade,
    )
    turned = Small(dict(reversed(small.runs.items())), small.grades, small.max_grade)
    # Rates fall with the rank, as any sensible stratification's do, so a pair only ever moves
    # to a lower rate when the run that had it highest is gone.
    strategy = pools.parse("Stratified(strata=[(2, 1), (3, 0.6), (4, 0.2)])")
    whole = members(strategy.pool(small.tables()[0], 7))
    assert set(members(strategy.pool(fewer.tables()[0], 7))) <= set(whole)
    assert members(strategy.pool(turned.tables()[0], 7)) == whole


@given(small_collections(n_docs=9))
def test_a_fixed_size_is_the_rate_times_the_stratum_in_every_topic(small: Small) -> None:
    runs, _ = small.tables()
    pool = Stratified(((3, 0.5), (4, 0.25)), size="fixed").pool(runs, 1)
    for t in range(len(runs.pairs.topics)):
        for number, rate in enumerate((0.5, 0.25)):
            inside = (runs.pairs.topic == t) & (pool.stratum == number)
            assert pool.member[inside].sum() == np.rint(inside.sum() * rate)


WRONG = """UniformSample(d=0, rate=0.5); UniformSample(d=5, rate=0); UniformSample(d=5, rate=1.5)
Stratified(strata=[]); TwoStrata(d=10, deep=10, rate=0.1)"""


@pytest.mark.parametrize("name", WRONG.replace("\n", ";").split(";"))
def test_pools_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"stratum|below"):
        pools.parse(name)
