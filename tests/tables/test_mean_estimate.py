"""Means that were estimated as a whole: their margins, and those of some runs."""

import numpy as np
import pytest

from leadline.tables.mean_estimate import MeanEstimate


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


def test_intervals_are_wider_where_few_heavy_draws_carry_the_error() -> None:
    value, covariance = np.zeros(1), np.ones((1, 1))
    known = MeanEstimate(value, covariance).margin()
    few_degrees = MeanEstimate(value, covariance, np.full((1, 1), 3.0)).margin()
    assert known[0] == pytest.approx(1.959964)
    # The tables of Student's t: .975, three degrees of freedom.
    assert few_degrees[0] == pytest.approx(3.182446)
