"""The randomisation test against every assignment of signs that there is."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leadline.stats.significance import Randomisation, Tails

whole = st.lists(st.integers(-6, 6), min_size=1, max_size=7)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(whole, st.sampled_from([1, 2]))
def test_few_topics_are_exact(values: list[int], tails: Tails) -> None:
    ours = Randomisation().p(np.array([values], np.float64) / 10, tails, random())[0]
    if not any(values):
        assert math.isnan(ours)
        return
    seen = sum(values) if tails == 1 else abs(sum(values))
    found = 0
    for signs in itertools.product((1, -1), repeat=len(values)):
        total = sum(sign * value for sign, value in zip(signs, values, strict=True))
        found += (total if tails == 1 else abs(total)) >= seen
    assert abs(ours - found / 2 ** len(values)) < 1e-12


def test_twelve_topics_are_exact_and_equal_scipy() -> None:
    difference = random(5).normal(0.3, 1.0, (4, 12))
    for tails, side in ((1, "greater"), (2, "two-sided")):
        ours = Randomisation(n=10).p(difference, tails, random())
        for row, p in zip(difference, ours, strict=True):
            peer = stats.permutation_test(
                (row, np.zeros(12)),
                lambda x, y, axis: np.mean(x - y, axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=np.inf,
                alternative=side,
            )
            assert abs(p - peer.pvalue) < 1e-12


def test_only_topics_that_differ_count_for_being_few() -> None:
    few = random(1).normal(0.2, 1.0, 11)
    many = np.concatenate([few, np.zeros(40)])
    ours = [Randomisation(n=5).p(row[None, :], 2, random())[0] for row in (few, many)]
    assert ours[0] == ours[1]


def test_draws_come_close_to_the_exact_p() -> None:
    difference = random(2).normal(0.15, 1.0, (3, 16))
    every = np.array(list(itertools.product((1.0, -1.0), repeat=16))).T
    exact = (np.abs(difference @ every) >= np.abs(difference.sum(axis=1))[:, None] - 1e-9).mean(1)
    ours = Randomisation(n=200_000).p(difference, 2, random())
    assert np.abs(ours - exact).max() < 0.005


def test_a_pair_has_the_same_p_in_any_company() -> None:
    difference = random(4).normal(0.2, 1.0, (600, 30))
    test = Randomisation(n=2000)
    together = test.p(difference, 2, random(7))
    alone = np.concatenate([test.p(difference[[at]], 2, random(7)) for at in (0, 311, 599)])
    assert (together[[0, 311, 599]] == alone).all()


def test_p_is_never_0() -> None:
    far = np.full((1, 40), 0.5) + random().normal(0, 0.01, (1, 40))
    assert Randomisation(n=999).p(far, 2, random())[0] == 0.001


@pytest.mark.parametrize("n", [0, -3, 10_000_001])
def test_the_number_of_draws_must_make_sense(n: int) -> None:
    with pytest.raises(ValueError, match="number of draws"):
        Randomisation(n=n)
