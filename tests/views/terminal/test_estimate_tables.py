"""Estimates: one row a run, one column an estimator, best by the last one first."""

import polars as pl

from leadline.views.tables import estimates_table
from tests.views.terminal.printed import lines_of, text_of


def frame(topic: str = "all") -> pl.DataFrame:
    rows = [
        ("low[0]", "LowerBound", 0.5, 0.5, 0.75, None, None),
        ("low[0]", "ListMean", 0.51, 0.5, 0.75, 0.5, 0.625),
        ("high", "LowerBound", 0.25, 0.25, 1.0, None, None),
        ("high", "ListMean", 0.6, 0.25, 1.0, 0.375, 0.875),
    ]
    names = ["run", "estimator", "value", "lower", "upper", "pred_lower", "pred_upper"]
    made = pl.DataFrame(rows, schema=names, orient="row")
    return made.with_columns(
        topic=pl.lit(topic), measure=pl.lit("P@5"), caveats=pl.lit(None, pl.String)
    )


def test_the_last_estimator_orders_the_runs() -> None:
    lines = lines_of(estimates_table(frame()))
    assert lines[0] == ["P@5"]
    assert lines[1] == ["run", "LowerBound", "ListMean", "95%", "interval", "bounds"]
    interval, bounds = ["[0.3750,", "0.8750]"], ["[0.2500,", "1.0000]"]
    assert lines[2] == ["high", "0.2500", "0.6000", *interval, *bounds]
    assert lines[3][:3] == ["low[0]", "0.5000", "0.5100"]


def test_topics_stand_below_in_their_order() -> None:
    lines = lines_of(estimates_table(pl.concat([frame(), frame("7")])))
    at = lines.index(["P@5", "by", "topic"])
    assert [line[:2] for line in lines[at + 2 : at + 4]] == [["low[0]", "7"], ["high", "7"]]


def test_what_no_estimator_tells_is_undefined_and_comes_last() -> None:
    gone = pl.when(pl.col("run") == "high").then(None).otherwise(pl.col("value"))
    text = text_of(estimates_table(frame().with_columns(value=gone)))
    assert text.index("low[0]") < text.index("high")
    assert "undefined" in text
