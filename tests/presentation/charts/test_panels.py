"""Panels: lines by name, and points beside the diagonal."""

import polars as pl

from leadline.presentation.charts.panels import COLOURS, line_panels, place_panels
from tests.presentation.charts.drawn import rows_of, svg

FRAME = pl.DataFrame(
    {
        "percent": [10, 20, 10, 20],
        "tau": [0.9, 0.8, 0.7, 0.6],
        "method": ["z", "z", "a", "a"],
        "measure": ["nDCG", "nDCG", "AP", "AP"],
    }
)


def test_dashed_lines_are_those_asked_for() -> None:
    chart = line_panels(FRAME, "percent", "tau", "method", "measure", dashed=["a"])
    encoding = chart.to_dict()["spec"]["encoding"]
    assert encoding["strokeDash"]["scale"] == {"domain": ["z", "a"], "range": [[1, 0], [5, 3]]}
    assert encoding["color"]["scale"]["range"] == list(COLOURS[:2])
    assert chart.to_dict()["facet"]["sort"] == ["nDCG", "AP"]
    assert "nDCG" in svg(chart)


def test_every_panel_has_its_diagonal_and_all_points() -> None:
    frame = pl.DataFrame({"old": [1, 2, 1], "new": [2, 1, 1], "measure": ["P", "P", "AP"]})
    chart = place_panels(frame, "old", "new", "measure", ("before", "after"))
    rows = rows_of(chart)
    ends = [(row["measure"], row["old"], row["new"]) for row in rows if row["end"]]
    assert ends == [("P", 0, 0), ("P", 3, 3), ("AP", 0, 0), ("AP", 3, 3)]
    assert [(row["old"], row["new"]) for row in rows if not row["end"]] == [(1, 2), (2, 1), (1, 1)]
    assert "before" in svg(chart)
