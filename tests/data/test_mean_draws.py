"""Intervals of draws: as many beyond one end as beyond the other, the told value between them."""

import numpy as np
import pytest

from leadline.data import mean_estimate
from leadline.data.mean_estimate import MeanEstimate


def drawn(n: int = 4001) -> MeanEstimate:
    random = np.random.default_rng(1)
    shared = random.standard_normal(n)
    draws = np.stack([shared, shared + random.exponential(1.0, n), random.exponential(1.0, n)], 1)
    return MeanEstimate.of_draws(np.array([0.0, 1.0, 1.0]), draws)


def test_ends_are_quantiles_of_the_draws() -> None:
    told = drawn()
    low, high = told.interval(0.9)
    beyond = (told.draws < low).mean(axis=0), (told.draws > high).mean(axis=0)
    assert np.allclose(beyond, 0.05, atol=1e-3)
    assert high[2] - 1 > 2 * (1 - low[2])


def test_the_value_lies_between_the_ends() -> None:
    told = MeanEstimate.of_draws(np.array([2.0, -2.0]), np.zeros((10, 2)))
    assert [end.tolist() for end in told.interval()] == [[0.0, -2.0], [2.0, 0.0]]


def test_what_moves_two_runs_alike_is_no_error_of_their_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = drawn()
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    error, low, high = told.differences(first, second)
    assert error[0] == pytest.approx(1.0, rel=0.05)
    assert error[1] == pytest.approx(2**0.5, rel=0.05)
    assert (low[0], high[0]) == pytest.approx((-3.69, -0.025), abs=0.2)
    monkeypatch.setattr(mean_estimate, "CELLS", 1)
    for whole, block in zip((error, low, high), told.differences(first, second), strict=True):
        assert whole.tolist() == block.tolist()


def test_no_pair_has_no_difference() -> None:
    none = np.zeros(0, np.int64)
    assert [len(each) for each in drawn(5).differences(none, none)] == [0, 0, 0]
