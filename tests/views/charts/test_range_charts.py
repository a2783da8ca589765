"""Ranges: best run first, what they are given and nothing else."""

import polars as pl
import pytest

from leadline.views.charts import (
    estimate_ranges,
    falling_lines,
    range_panels,
    ranges,
)
from tests.views.charts.drawn import rows_of, svg

SCORES = pl.DataFrame(
    [
        ("low", "all", "P@5", 0.25, 0.25, 0.75),
        ("high", "all", "P@5", 0.5, 0.5, 0.6),
        ("a.b[0]", "all", "P@5", 0.5, 0.5, 0.5),
        ("low", "1", "P@5", 0.25, 0.25, 0.75),
        ("low", "all", "AP", 0.1, 0.1, 0.2),
    ],
    schema=["run", "topic", "measure", "value", "lower", "upper"],
    orient="row",
)


def test_means_of_one_measure_come_best_first() -> None:
    chart = ranges(SCORES, "P@5")
    rows = rows_of(chart, 0)
    assert [row["run"] for row in rows] == ["low", "high", "a.b[0]"]
    layers = chart.to_dict()["layer"]
    assert {layer["encoding"]["y"]["sort"][0] for layer in layers} == {"a.b[0]"}
    assert layers[0]["encoding"]["y"]["sort"] == ["a.b[0]", "high", "low"]
    assert "a.b[0]" in svg(chart)


@pytest.mark.parametrize("zero", [False, True])
def test_the_axis_begins_where_the_bars_do_or_at_0(zero: bool) -> None:
    layers = ranges(SCORES, "P@5", zero=zero).to_dict()["layer"]
    assert {layer["encoding"]["x"]["scale"]["zero"] for layer in layers} == {zero}


def test_what_a_bar_is_stands_below_where_it_is_the_usual() -> None:
    assert ranges(SCORES, "P@5").to_dict()["title"]["subtitle"]
    other = ranges(SCORES, "P@5", "something else").to_dict()["title"]
    assert (other["text"], other["subtitle"]) == ("P@5: something else", "")


def test_the_last_estimator_orders_the_runs() -> None:
    both = pl.concat(
        [
            SCORES.with_columns(estimator=pl.lit("LowerBound")),
            SCORES.with_columns(estimator=pl.lit("UpperBound"), value=pl.col("upper")),
        ]
    )
    layers = estimate_ranges(both, "P@5").to_dict()["layer"]
    assert layers[0]["encoding"]["y"]["sort"] == ["low", "high", "a.b[0]"]
    assert layers[1]["encoding"]["color"]["sort"] == ["LowerBound", "UpperBound"]
    assert "guaranteed bounds" in svg(estimate_ranges(both, "P@5"))


def test_panels_stand_as_they_come() -> None:
    frame = pl.DataFrame(
        {"panel": ["z", "a"], "place": [1, 2], "lower": [0.1, 0.2], "upper": [0.3, 0.2]}
    )
    chart = range_panels(frame, "RBP")
    assert chart.to_dict()["facet"]["sort"] == ["z", "a"]
    assert "RBP" in svg(chart)
    # A tick that stood upright would look like a part of the interval.
    assert chart.to_dict()["spec"]["layer"][1]["mark"]["orient"] == "horizontal"


@pytest.mark.parametrize(("most", "last"), [(0, 1), (7, 5), (600, 500)])
def test_ticks_go_as_far_as_the_numbers(most: int, last: int) -> None:
    frame = pl.DataFrame({"n": [0, 1], "left": [most, 0], "order": ["A", "A"]})
    ticks = falling_lines(frame, "n", "left", "order").to_dict()["encoding"]["y"]["axis"]["values"]
    assert (ticks[0], ticks[-1]) == (0, last)
