"""Means that were estimated as a whole: their margins, and those of some runs."""

import numpy as np
import pytest

from leadline.data.mean_estimate import MeanEstimate


def test_how_well_means_are_known_goes_with_the_runs() -> None:
    degrees = np.array([[3.0, 5.0], [5.0, 9.0]])
    known = MeanEstimate(np.zeros(2), np.eye(2), degrees)
    chosen = known.of_runs(np.array([1]))
    assert chosen.degrees is not None
    assert chosen.degrees.tolist() == [[9.0]]
    assert known.withhold("too few").of_runs(np.array([1])).withheld == "too few"


def test_without_an_interval_there_is_no_standard_error() -> None:
    told = MeanEstimate(np.zeros(2), np.eye(2)).withhold("too few")
    for error in (told.standard_error, told.difference_error(), told.margin(), told.covariance):
        assert np.isnan(error).all()


def test_the_lower_end_of_a_leader_allows_for_all_runs_that_may_lead() -> None:
    value, degrees = np.array([0.5, 0.45, 0.1]), np.full((3, 3), 9.0)
    told = MeanEstimate(value, 0.01 * np.eye(3), degrees)
    # Differences are known to 2.262157 * sqrt(.02) = .3199: the third run is further behind.
    assert told.rivals() == 2
    low, high = told.interval()
    # The tables of Student's t, nine degrees of freedom: .975 and, for one in two runs, .9875.
    assert high - value == pytest.approx([0.2262157] * 3, abs=1e-6)
    assert value - low == pytest.approx([0.2685011, 0.2262157, 0.2262157], abs=1e-6)
    by_model = MeanEstimate(value, 0.01 * np.eye(3))
    assert by_model.interval()[0] == pytest.approx(value - 0.1959964, abs=1e-6)


def test_intervals_are_wider_where_few_heavy_draws_carry_the_error() -> None:
    value, covariance = np.zeros(1), np.ones((1, 1))
    known = MeanEstimate(value, covariance).margin()
    few_degrees = MeanEstimate(value, covariance, np.full((1, 1), 3.0)).margin()
    assert known[0] == pytest.approx(1.959964)
    # The tables of Student's t: .975, three degrees of freedom.
    assert few_degrees[0] == pytest.approx(3.182446)
