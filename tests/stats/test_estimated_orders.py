"""How estimates order the runs."""

import numpy as np
import polars as pl
import pytest

from leadline.io.problems import Notices
from leadline.stats.board import EstimatedMeans, agreement, estimated_means


def table(rows: list[tuple[str, str, str, float | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["run", "measure", "estimator", "value"], orient="row")


def test_estimates_of_a_measure_come_by_estimator_and_run() -> None:
    notices = Notices()
    rows = [
        ("b", "AP", "LowerBound", 0.5),
        ("a", "AP", "LowerBound", 0.25),
        ("a", "AP", "UpperBound", None),
    ]
    low, high = estimated_means(
        table([*rows, ("a", "P@5", "UpperBound", 1.0)]), "AP", ("a", "b"), notices
    )
    assert (low.name, low.value.tolist(), low.places) == ("LowerBound", [0.25, 0.5], [2, 1])
    assert (high.name, np.isnan(high.value).tolist()) == ("UpperBound", [True, True])
    assert high.places == [None, None]
    assert "has no estimate of AP for 2 of 2 runs" in notices.lines()[0]


def test_estimates_of_other_runs_are_refused() -> None:
    with pytest.raises(ValueError, match="for none of these runs"):
        estimated_means(table([("somebody", "P@5", "LowerBound", 0.5)]), "P@5", ("a",), Notices())


def test_agreement_is_told_of_runs_that_both_have() -> None:
    one = EstimatedMeans("one", np.array([0.1, 0.2, 0.3, np.nan]))
    turned = EstimatedMeans("turned", np.array([0.3, 0.2, 0.1, 0.4]))
    assert agreement(one, one)["kendall_tau_b"] == pytest.approx(1)
    assert agreement(one, turned)["kendall_tau_b"] == pytest.approx(-1)
    assert agreement(one, EstimatedMeans("none", np.full(4, np.nan))) == {}
