"""Charts of what verbs give: they can be drawn, and show the rows that they are given."""

import polars as pl
import pytest

from leadline.views import result_charts as charts
from tests.views.charts.drawn import rows_of, svg


def test_an_arrow_goes_from_the_unadjusted_to_the_adjusted_score() -> None:
    frame = pl.DataFrame(
        {
            "run": ["up", "down", "unknown"],
            "measure": ["P@5"] * 3,
            "unadjusted": [0.2, 0.5, 0.3],
            "adjusted": [0.3, 0.4, 0.35],
            "pred_lower": [0.25, 0.3, None],
            "pred_upper": [0.35, 0.5, None],
        }
    )
    drawn = charts.adjusted_arrows(frame, "P@5")
    assert drawn.to_dict()["layer"][0]["encoding"]["y"]["sort"] == ["down", "unknown", "up"]
    assert "unknown" in svg(drawn)


@pytest.mark.parametrize("judged", [True, False])
def test_a_pool_is_counted_by_topic(judged: bool) -> None:
    frame = pl.DataFrame({"topic": ["1", "1", "2"], "doc": ["a", "b", "a"]})
    if judged:
        frame = frame.with_columns(judged=pl.Series([True, False, False]))
    drawn = charts.pool_sizes(frame)
    rows = rows_of(drawn)
    assert sum(row["pairs"] for row in rows) == 3
    assert {row["state"] for row in rows} == ({"judged", "to judge"} if judged else {"to judge"})
    assert "Pool of 3 pairs" in svg(drawn)


def test_a_course_falls_to_nought() -> None:
    frame = pl.DataFrame({"judged": [0, 1, 2], "contenders": [12, 3, 0]})
    assert "judgments" in svg(charts.certainty_course(frame))


def test_places_share_the_better_one() -> None:
    frame = pl.DataFrame({"run": ["x", "y", "z"], "AP": [0.5, 0.5, 0.1], "P@5": [0.1, 0.2, 0.3]})
    drawn = charts.place_agreement(frame)
    rows = rows_of(drawn, 1)
    assert [(row["run"], row["x"], row["y"]) for row in rows] == [
        ("x", 1, 3),
        ("y", 1, 2),
        ("z", 3, 1),
    ]
    svg(drawn)


def test_the_budget_curve_has_one_name_for_its_axis() -> None:
    drawn = svg(charts.budget_curve({100: 0.2, 400: 0.1}, 50, "differences of DCG@10"))
    assert "standard error of differences of DCG@10" in drawn
    assert ">judgments<" in drawn
    assert "judgments, " not in drawn
