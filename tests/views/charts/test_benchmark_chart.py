"""The picture of a benchmark has every method of every task, also one that met nobody."""

import polars as pl

from leadline.views.charts import benchmark_chart
from tests.views.charts.drawn import rows_of, svg

TIERS = pl.DataFrame(
    {
        "task": ["scores", "scores", "best", "scores"],
        "measure": ["P@10"] * 4,
        "scope": ["all", "all", "all", "unseen"],
        "method": ["Regression", "LowerBound", "LikelyWinner", "LowerBound"],
        "tier": [1, 2, 1, 1],
        "value": [0.01, 0.02, 0.0, 0.02],
        "to_best": [0.5, 2.0, None, None],
        "lower": [0.4, 1.5, None, None],
        "upper": [0.7, 2.5, None, None],
        "loss": ["rmse", "rmse", "regret", "rmse"],
    }
)


def test_each_task_has_its_methods_by_tier() -> None:
    drawn = svg(benchmark_chart(TIERS))
    for shown in (
        "Regression (1)",
        "LowerBound (2)",
        "LikelyWinner (1)",
        "scores, P@10",
        "best, P@10",
    ):
        assert shown in drawn
    assert "error, times that of the best" in drawn
    assert "regret, more than the best" in drawn


def test_what_was_seen_counts_and_the_best_is_marked() -> None:
    chart = benchmark_chart(TIERS.filter(task="scores"))
    assert [row["to_best"] for row in rows_of(chart, 0)] == [0.5, 2.0]
    assert rows_of(chart, 2) == [{"level": 1.0}]
