"""Scores under draws of a model: the same as by hand, list by list."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions import score_draws
from leadline.completions.score_draws import UnjudgedEntries


@given(st.integers(0, 1000), st.integers(1, 40))
def test_sums_are_those_of_a_plain_loop(seed: int, cells: int) -> None:
    random = np.random.default_rng(seed)
    n, n_lists, n_draws = 12, 5, 3
    of = np.sort(random.integers(0, n_lists, n))
    entries = UnjudgedEntries(of, random.random(n), random.integers(0, 6, n), n_lists)
    logit, feature = random.normal(0, 2, n), random.normal(0, 1, (n, 2))
    coefficient, moved = random.normal(0, 1, (n_draws, 2)), random.normal(0, 1, (n_draws, n_lists))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_draws, "CELLS", cells)
        sums = entries.drawn_sums(logit, feature, coefficient, moved)
    for draw in range(n_draws):
        by_hand = [0.0] * n_lists
        for entry in range(n):
            z = logit[entry] + moved[draw, of[entry]]
            z += sum(coefficient[draw, f] * feature[entry, f] for f in range(2))
            by_hand[of[entry]] += entries.weight[entry] / (1 + math.exp(-z))
        assert sums[draw] == pytest.approx(by_hand, rel=1e-5, abs=1e-6)


def test_logits_without_end_make_no_noise() -> None:
    entries = UnjudgedEntries(np.zeros(2, np.int64), np.ones(2), np.zeros(2, np.int64), 1)
    nothing = np.zeros((1, 1))
    sums = entries.drawn_sums(np.array([-1e5, 1e5]), np.zeros((2, 1)), nothing, nothing)
    assert sums.tolist() == [[pytest.approx(1.0)]]
