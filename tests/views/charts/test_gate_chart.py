"""The picture of a gate shows every row, both intervals and the margin."""

import polars as pl

from leadline.views.gate import gate_chart
from tests.views.charts.drawn import rows_of, svg

ROWS = pl.DataFrame(
    {
        "measure": ["nDCG@10", "nDCG@10"],
        "slice": ["all", "short"],
        "verdict": ["worse", "undecided"],
        "difference": [-0.2, 0.1],
        "expected": [-0.18, None],
        "combined_lower": [-0.3, None],
        "combined_upper": [-0.05, None],
        "lower": [-0.25, -0.1],
        "upper": [-0.1, 0.3],
    }
)


def test_rows_and_margin_are_drawn() -> None:
    chart = gate_chart(ROWS, 0.02)
    assert [row["of"] for row in rows_of(chart, 0)] == ["nDCG@10, all", "nDCG@10, short"]
    assert rows_of(chart, 4) == [{"margin": -0.02}]
    drawn = svg(chart)
    assert "nDCG@10, short" in drawn
    assert "new run minus baseline" in drawn
