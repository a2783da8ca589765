"""A level is shared out so that most is found, and all of it adds up."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

from leadline.data.arrays import Floats
from leadline.labels.favour import EVEN, level_shares

SIZES = [[4.0, 4.0], [2.0, 3.0, 5.0], [3.7, 4.2, 5.4, 5.5, 6.2, 9.0], [0.7, 1.0, 6.0]]


def found(size: Floats, share: Floats, level: float) -> float:
    return float(ndtr(size + ndtri(level * share)).sum())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("level", [0.004, 0.034, 0.2])
def test_what_follows_the_sizes_finds_as_much_as_any_other_shares(
    size: list[float], level: float
) -> None:
    sizes = np.array(size)
    share = level_shares(sizes, level)
    np.testing.assert_allclose(share.sum(), 1)
    assert (share >= EVEN / len(size) - 1e-12).all()
    follows = (share - EVEN / len(size)) / (1 - EVEN)
    even = np.full(len(size), 1 / len(size))

    def missed(logits: Floats) -> float:
        each = np.exp(logits - logits.max())
        return -found(sizes, np.maximum(each / each.sum(), 1e-300), level)

    best = -minimize(missed, np.zeros(len(size)), method="Nelder-Mead", tol=1e-9).fun
    assert found(sizes, np.maximum(follows, 1e-300), level) >= best - 1e-6
    assert found(sizes, share, level) >= found(sizes, even, level) - 1e-9


def test_tests_alike_get_shares_alike() -> None:
    np.testing.assert_allclose(level_shares(np.full(7, 3.3), 0.05), 1 / 7)
    np.testing.assert_allclose(level_shares(np.full(3, np.inf), 0.05), 1 / 3)
    np.testing.assert_allclose(level_shares(np.full(400, 1e-9), 1e-6), 1 / 400)
    np.testing.assert_allclose(level_shares(np.array([2.0]), 0.05), 1)
    assert len(level_shares(np.zeros(0), 0.05)) == 0


def test_what_is_found_at_any_level_needs_no_more_than_its_even_share() -> None:
    share = level_shares(np.array([np.inf, 4.0, np.nan]), 0.03)
    np.testing.assert_allclose(share[[0, 2]], EVEN / 3, rtol=1e-3)
    assert share[1] > 0.6
