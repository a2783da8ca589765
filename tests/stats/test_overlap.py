"""Rank-biased overlap by hand, as a plain sum, and over all tie breaks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.stats.correlation import rbo
from tests.stats.orderings import breakings, of, strict, tied
from tests.tries import tries


def test_rbo_by_hand() -> None:
    # Agreement at depths 1, 2, 3: 0, 1, 1, and 1 for ever after.
    swapped = rbo(of(3, 2, 1), of(2, 3, 1), p=0.8)
    assert abs(swapped - (0.2 * (0 + 0.8 + 0.64) + 0.8**3)) < 1e-12
    assert abs(rbo(of(3, 2, 1), of(1, 2, 3), p=0.5) - (0.5 * (0 + 0.5 / 2 + 0.25) + 0.125)) < 1e-12
    # Orders 1 2 3 4 5 and 2 3 4 1 5: agreement 0, 1/2, 2/3, 1, 1.
    longer = rbo(of(5, 4, 3, 2, 1), of(2, 5, 4, 3, 1), p=0.9)
    sums = 0.1 * (0.9 / 2 + 0.81 * 2 / 3 + 0.729 + 0.6561) + 0.59049
    assert abs(longer - sums) < 1e-12
    assert round(longer, 3) == 0.828
    # Two lead together in a. w: both are in at depth 1, 2 * 1 / (2 + 1).
    x, y = of(2, 2, 1), of(3, 2, 1)
    assert abs(rbo(x, y, p=0.5) - (0.5 * (2 / 3 + 0.5 + 0.25) + 0.125)) < 1e-12
    # a: each is first half of the time. b: 1/2 / sqrt(1/4 + 1/4).
    assert abs(rbo(x, y, p=0.5, ties="a") - (0.5 * (1 / 2 + 0.5 + 0.25) + 0.125)) < 1e-12
    assert abs(rbo(x, y, p=0.5, ties="b") - (0.5 * (0.5**0.5 + 0.5 + 0.25) + 0.125)) < 1e-12


@tries(12)
@given(tied, st.floats(0.05, 0.95))
def test_rbo_a_is_the_mean_over_all_ways_to_break_ties(
    pair: tuple[list[int], list[int]], p: float
) -> None:
    every = [rbo(a, b, p) for a in breakings(pair[0]) for b in breakings(pair[1])]
    a, b = of(*pair[0]), of(*pair[1])
    assert abs(rbo(a, b, p, "a") - np.mean(every)) < 1e-12
    assert rbo(a, b, p, "a") <= rbo(a, b, p, "b") + 1e-12
    for ties in ("w", "b"):
        assert abs(rbo(a, a, p, ties) - 1) < 1e-12
    for ties in ("w", "a", "b"):
        assert abs(rbo(a, b, p, ties) - rbo(b, a, p, ties)) < 1e-12


@given(strict, st.floats(0.05, 0.95))
def test_rbo_without_ties_is_the_plain_sum(pair: tuple[list[int], list[int]], p: float) -> None:
    a, b = (sorted(range(len(each)), key=lambda run: -each[run]) for each in pair)
    total = 0.0
    for depth in range(1, 2000):
        shared = len(set(a[:depth]) & set(b[:depth])) / min(depth, len(a))
        total += (1 - p) * p ** (depth - 1) * shared
    assert abs(rbo(of(*pair[0]), of(*pair[1]), p) - total) < 1e-9


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5])
def test_a_persistence_without_sense_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p must lie between 0 and 1"):
        rbo(of(1, 2), of(1, 2), p)


def test_nothing_overlaps_with_nothing() -> None:
    assert math.isnan(rbo(of(), of()))
