"""Chances follow worth, sum to what is wanted, and none is 0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.designs.chances import chances


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
    order = np.argsort(value, kind="stable")
    assert (np.diff(chance[order]) >= -1e-12).all()
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
