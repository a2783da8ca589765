"""Pictures of an audit: bars about zero, those named in another colour, the ends of long lists."""

import polars as pl

from leadline.views.result_charts import MOST_ROWS, around_zero, favours
from tests.views.charts.drawn import rows_of, svg

SCHEMA = ["section", "item", "value", "ci_lower", "ci_upper", "n"]


def frame(n: int = 3) -> pl.DataFrame:
    rows = [("favour by group", f"g{at}", 0.1 - at / 50, 0.0, 0.2, 5) for at in range(n)]
    rows += [("favour by group", "unknown", None, None, None, 0)]
    rows += [("favoured", "group g0", 0.1, 0.05, 0.2, 5)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_named_groups_stand_out_and_unknown_ones_are_left_out() -> None:
    rows = rows_of(favours(frame(), "group"), 1)
    assert [row["item"] for row in rows] == ["g0", "g1", "g2"]
    assert [row["named"] for row in rows] == [True, False, False]
    bar = favours(frame(), "group").to_dict()["layer"][1]["encoding"]
    assert {bar["x"]["field"], bar["x2"]["field"]} <= rows[0].keys()
    assert "not tested" not in svg(favours(frame(), "group"))
    small = pl.DataFrame([("favour by group", "g9", 0.1, None, None, 2)], SCHEMA, orient="row")
    told = str(favours(frame().vstack(small), "group").to_dict()["title"])
    assert "no bar: not tested" in told


def test_of_many_rows_both_ends_are_shown() -> None:
    chart = around_zero(frame(100), "favour by group", "score", "mark")
    rows = rows_of(chart, 1)
    assert len(rows) == MOST_ROWS
    assert {rows[0]["item"], rows[-1]["item"]} == {"g0", "g99"}
    assert "g99" in svg(chart)
    assert "the first and the last 20" in str(chart.to_dict()["title"])
