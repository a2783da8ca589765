"""Lines: one for each value of a column, panels as they come."""

import polars as pl
import pytest

from leadline.views.charts import plotted
from tests.views.charts.drawn import rows_of, svg

FRAME = pl.DataFrame(
    {
        "depth": [10, 5, 10, 5],
        "error": [0.1, 0.2, 0.3, 0.4],
        "low": [0.05, 0.1, 0.2, 0.3],
        "high": [0.2, 0.3, 0.4, 0.5],
        "method": ["b", "b", "a", "a"],
        "measure": ["P", "P", "AP", "AP"],
    }
)


def test_names_are_in_the_order_in_which_they_come() -> None:
    chart = plotted(FRAME, "depth", "error", "method", nominal=True).to_dict()
    encoding = chart["layer"][0]["encoding"]
    assert encoding["color"]["sort"] == ["b", "a"]
    assert encoding["x"]["sort"] == [10, 5]
    assert encoding["x"]["type"] == "nominal"


def test_panels_stand_side_by_side_as_they_come() -> None:
    chart = plotted(FRAME, "depth", "error", "method", "measure").to_dict()
    assert chart["facet"]["sort"] == ["P", "AP"]
    assert "facet" not in plotted(FRAME, "depth", "error", "method").to_dict()


def test_a_band_lies_under_the_lines() -> None:
    chart = plotted(FRAME, "depth", "error", "method", band=("low", "high")).to_dict()
    area, line = chart["layer"]
    assert area["mark"]["type"] == "area"
    assert (area["encoding"]["y"]["field"], area["encoding"]["y2"]["field"]) == ("low", "high")
    assert line["mark"]["type"] == "line"


def test_dashed_lines_are_those_asked_for() -> None:
    chart = plotted(FRAME, "depth", "error", "method", "measure", dashed=["a"], zero=False)
    encoding = chart.to_dict()["spec"]["layer"][0]["encoding"]
    assert encoding["strokeDash"]["scale"] == {"domain": ["b", "a"], "range": [[1, 0], [5, 3]]}
    assert encoding["y"]["scale"]["zero"] is False
    assert "AP" in svg(chart)


def test_only_what_is_drawn_is_in_the_picture() -> None:
    row = rows_of(plotted(FRAME, "depth", "error", "method"))[0]
    assert set(row) == {"depth", "error", "method"}


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_it_can_be_drawn(scale: str) -> None:
    chart = plotted(FRAME, "depth", "error", "method", "measure", scale=scale)  # type: ignore[arg-type]
    assert "AP" in svg(chart)
