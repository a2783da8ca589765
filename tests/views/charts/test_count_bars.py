"""Bars of how many rows there are of each kind."""

import polars as pl

from leadline.views.charts import count_bars
from tests.views.charts.drawn import rows_of, svg


def test_rows_are_counted_by_both_columns() -> None:
    frame = pl.DataFrame({"grade": [1, 0, 1, None], "state": ["a", "a", "b", "b"]})
    drawn = count_bars(frame, "grade", "state", "four labels")
    assert [tuple(row.values()) for row in rows_of(drawn)] == [
        ("0", "a", 1),
        ("1", "a", 1),
        ("1", "b", 1),
        ("none", "b", 1),
    ]
    assert "four labels" in svg(drawn)
