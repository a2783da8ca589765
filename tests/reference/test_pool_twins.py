"""The reference pools against published and hand-worked values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from . import orders as o
from . import pools
from .small_runs import collections, published

# Table 1 of Lipani et al. (2016): sizes and rates in per cent.
STRATIFICATIONS = [
    ([100], [50]),
    ([10, 90], [100, 44]),
    ([20, 80], [100, 38]),
    ([30, 70], [100, 29]),
    ([40, 60], [100, 17]),
    ([10, 20, 70], [100, 94, 30]),
    ([10, 30, 60], [100, 90, 22]),
    ([10, 40, 50], [100, 83, 14]),
    ([20, 30, 50], [100, 77, 14]),
    ([10, 20, 30, 40], [100, 94, 60, 8]),
]


def test_the_table_is_that_published() -> None:
    rows = published("lipani16")["stratifications"]
    assert [(row["sizes"], row["percent"]) for row in rows] == STRATIFICATIONS


def test_u_is_blake2b() -> None:
    # printf '7\x1f401\x1fFT911-3' | b2sum -l 64, and the same for '0\x1fä\x1fd 1'.
    assert pools.u(7, "401", "FT911-3") == (0x2817E83A26C14CCE >> 11) / 2**53
    assert pools.u(0, "ä", "d 1") == (0x8256C49903AA6095 >> 11) / 2**53


POOLED: pools.Runs = [{"1": ["a", "b", "c", "d"], "2": ["a"]}, {"1": ["b", "e", "a"]}]


def test_pools_by_hand() -> None:
    assert pools.depth(POOLED, 1) == dict.fromkeys([("1", "a"), ("1", "b"), ("2", "a")], (1, 1.0))
    assert pools.sampled(POOLED, 3, 1.0, 4) == pools.depth(POOLED, 3)
    assert pools.sampled(POOLED, 3, 0.0, 4) == {}
    # Best ranks in topic 1: a 1, b 1, e 2, c 3, d 4.
    strata = [(1, 1.0), (2, 1.0)]
    assert pools.stratified(POOLED, strata, 4) == {
        ("1", "a"): (1, 1.0),
        ("1", "b"): (1, 1.0),
        ("2", "a"): (1, 1.0),
        ("1", "e"): (2, 1.0),
        ("1", "c"): (2, 1.0),
    }


@given(collections(), st.integers(1, 6), st.floats(0, 1), st.integers(0, 99))
def test_pools_are_related(runs: o.Runs, d: int, rate: float, seed: int) -> None:
    everything = pools.depth(runs, d)
    sample = pools.sampled(runs, d, rate, seed)
    assert pools.stratified(runs, [(d, 1.0)], seed) == everything
    assert pools.stratified(runs, [(d, rate)], seed) == sample
    assert sample.keys() == {pair for pair in everything if pools.u(seed, *pair) < rate}
    two = pools.two_strata(runs, d, d + 2, rate, seed)
    assert everything.keys() <= two.keys() <= pools.depth(runs, d + 2).keys()
    assert {pair: of for pair, of in two.items() if of[0] == 1} == everything
    assert pools.sampled(runs[1:], d, rate, seed).keys() <= sample.keys()


def test_stratifications_of_table_1() -> None:
    found = pools.stratifications(100, 10)
    assert [[size for size, _ in strata] for strata in found] == [s for s, _ in STRATIFICATIONS]
    for strata, (_, percents) in zip(found, STRATIFICATIONS, strict=True):
        assert [round(100 * rate) for _, rate in strata] == percents
        # Half of the depth is judged of every run.
        assert sum(size * rate for size, rate in strata) == pytest.approx(50, abs=1e-9)


def test_stratifications_of_an_odd_depth() -> None:
    found = pools.stratifications(35, 10)
    assert [[size for size, _ in strata] for strata in found] == [[35], [10, 25]]
    assert [[size for size, _ in strata] for strata in pools.stratifications(7, 10)] == [[7]]
