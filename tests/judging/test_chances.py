"""Chances follow worth, sum to what is wanted, and none is 0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.judging.weighted_sample import chances


@given(
    st.lists(st.floats(0, 100), min_size=1, max_size=40),
    st.floats(0.01, 1),
    st.floats(0.05, 0.9),
    st.integers(0, 3),
)
def test_as_many_as_wanted_are_expected_and_more_worth_never_means_less_chance(
    worth: list[float], wanted: float, share: float, n_closed: int
) -> None:
    value = np.array(worth)
    open_ = np.ones(len(value), np.bool_)
    open_[:n_closed] = False
    n = wanted * open_.sum()
    reach = 1 + value
    chance = chances(value, open_, float(n), share, reach)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert chance[open_].sum() == pytest.approx(n, rel=1e-6, abs=1e-9)
    for some in (open_, ~open_):
        order = np.argsort(value[some], kind="stable")
        assert (np.diff(chance[some][order]) >= -1e-12).all()
    if n:
        assert (chance > 0).all()


def test_everything_is_drawn_where_more_is_wanted_than_there_is() -> None:
    chance = chances(np.zeros(3), np.ones(3, np.bool_), 5.0, 0.1)
    assert chance.tolist() == [1.0, 1.0, 1.0]


def test_no_weight_is_divided_by_far_too_small_a_chance() -> None:
    """What weighs most in a run is never left to the model alone."""
    reach = np.array([1.0, 1.0, 0.01, 0.01])
    chance = chances(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4, np.bool_), 1.0, 0.1, reach)
    assert chance[0] == pytest.approx(0.1 * 1.0 / reach.sum())
    assert (reach / chance).max() <= reach.sum() / 0.1 + 1e-9


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=25),
    st.floats(0, 1.2),
    st.sampled_from([0.0, 0.1, 0.5]),
    st.booleans(),
)
def test_what_is_not_open_has_the_chance_that_it_would_have_if_it_were(
    pairs: list[tuple[float, bool]], wanted: float, share: float, whole: bool
) -> None:
    """As many sums as there are pairs, each with that pair open too."""
    worth = np.array([each for each, _ in pairs]) ** 3
    open_ = np.array([each for _, each in pairs])
    n = wanted * len(pairs)
    n = float(round(n)) if whole else n
    reach = 0.1 + np.arange(len(pairs)) % 3
    together = chances(worth, open_, n, share, reach)
    for pair in range(len(pairs)):
        with_it = open_.copy()
        with_it[pair] = True
        alone = chances(worth, with_it, n, share, reach)
        assert together[pair] == pytest.approx(alone[pair], abs=1e-9)
        assert alone[with_it].sum() == pytest.approx(min(n, with_it.sum()), abs=1e-9)
