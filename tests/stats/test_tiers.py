"""Tiers and the bars of a critical-difference diagram."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leadline.stats.pairwise import ranked, stretches, tiers


@st.composite
def apartness(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(1, 7))
    mean = np.array(draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), np.float64)
    apart = np.zeros((n, n), np.bool_)
    for a, b in itertools.combinations(range(n), 2):
        apart[a, b] = apart[b, a] = draw(st.booleans())
    return mean, apart


def sound(order: list[int], cuts: tuple[int, ...], apart: np.ndarray) -> bool:
    bounds = [0, *cuts, len(order)]
    return not any(
        apart[np.ix_(order[a:b], order[a:b])].any() for a, b in itertools.pairwise(bounds)
    )


@given(apartness())
def test_no_tier_holds_runs_that_can_be_told_apart_and_fewer_tiers_would(
    given_: tuple[np.ndarray, np.ndarray],
) -> None:
    mean, apart = given_
    in_order = ranked(mean, [str(at) for at in range(len(mean))])
    order = in_order.tolist()
    made = tiers(in_order, apart)
    assert made[order[0]] == 1
    assert set(np.diff(made[order])) <= {0, 1}
    for tier in set(made.tolist()):
        members = np.flatnonzero(made == tier)
        assert not apart[np.ix_(members, members)].any()
    n = len(order)
    fewer = itertools.combinations(range(1, n), int(made.max()) - 2) if made.max() > 1 else []
    assert not any(sound(order, cuts, apart) for cuts in fewer)


@given(apartness())
def test_stretches_are_all_that_cannot_be_made_longer(
    given_: tuple[np.ndarray, np.ndarray],
) -> None:
    mean, apart = given_
    in_order = ranked(mean, [str(at) for at in range(len(mean))])
    order = in_order.tolist()
    n = len(order)
    whole = [
        (a, b)
        for a, b in itertools.combinations(range(n + 1), 2)
        if b - a > 1 and not apart[np.ix_(order[a:b], order[a:b])].any()
    ]
    longest = [
        order[a:b]
        for a, b in whole
        if not any((c <= a and b <= d) and (c, d) != (a, b) for c, d in whole)
    ]
    assert stretches(in_order, apart) == longest


def test_runs_without_a_mean_come_last() -> None:
    assert ranked(np.array([np.nan, 0.2, 0.5]), ["a", "b", "c"]).tolist() == [2, 1, 0]
