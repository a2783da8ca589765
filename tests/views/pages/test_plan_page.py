"""The page of plan says what to do, shows the curve and names every plan."""

import polars as pl

from leadline.views.plan_page import plan_page
from leadline.views.result_charts import plan_curves


def test_advice_curve_and_all_plans_are_there_and_names_are_escaped() -> None:
    frame = pl.DataFrame(
        {
            "question": ["best", "best"],
            "pool": [None, "Depth(d=<3>)"],
            "order": ["LikelyWinner", None],
            "expected_error": [0.0123456, 0.5],
            "judgments": [120, 200],
        }
    )
    points = pl.DataFrame(
        {
            "plan": ["a", "a"],
            "judgments": [60, 120],
            "expected_error": [0.2, 0.1],
            "probability_right": [0.5, None],
        }
    )
    page = plan_page(
        frame, plan_curves(points), ["recommended: LikelyWinner"], ["leadline next sea"]
    )
    for text in (
        "recommended: LikelyWinner",
        "leadline next sea",
        "Depth(d=&lt;3&gt;)",
        "0.01235",
        "<svg",
    ):
        assert text in page
    assert "<3>" not in page
