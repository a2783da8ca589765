"""Charts of papers can be drawn, and show the rows that they are given."""

import polars as pl
import pytest

from leadline.views.result_charts import diagram, matrix, place_panels, spreads
from tests.views.charts.drawn import rows_of, svg


@pytest.mark.parametrize(("name", "sloping"), [("RBP", False), ("a name that is long" * 3, True)])
def test_names_that_do_not_fit_slope(name: str, sloping: bool) -> None:
    frame = pl.DataFrame({"by": [name] * 3 + [f"{at}" for at in range(9)], "d": [0.5] * 12})
    layers = spreads(frame, "by", "d").to_dict()["layer"]
    assert (layers[0]["encoding"]["x"]["axis"]["labelAngle"] != 0) == sloping
    assert layers[1]["encoding"]["y"]["aggregate"] == "median"


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_a_matrix_has_every_name_on_both_sides(value: float) -> None:
    frame = pl.DataFrame({"a": ["x", "x"], "b": ["y", "z"], "d": [value, value]})
    chart = matrix(frame, "a", "b", "d")
    encoding = chart.to_dict()["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == encoding["y"]["sort"] == ["x", "y", "z"]
    assert f"{value:.3f}" in svg(chart)


def test_a_diagram_goes_as_far_as_its_shares() -> None:
    frame = pl.DataFrame({"said": [0.1, 0.2], "was": [0.4, 0.1], "by": ["R", "R"], "n": [5, 9]})
    chart = diagram(frame, "said", "was", "by", "n")
    layers = chart.to_dict()["layer"]
    assert layers[0]["encoding"]["x"]["scale"]["domain"] == pytest.approx([0, 0.42])
    assert len(rows_of(chart, 1)) == 2
    whole = diagram(frame.with_columns(was=pl.lit(1.0)), "said", "was", "by", "n").to_dict()
    assert whole["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1.0]
    assert "said" in svg(chart)


def test_every_panel_has_its_diagonal_and_all_points() -> None:
    frame = pl.DataFrame({"old": [1, 2, 1], "new": [2, 1, 1], "measure": ["P", "P", "AP"]})
    chart = place_panels(frame, "old", "new", "measure", ("before", "after"))
    rows = rows_of(chart)
    ends = [(row["measure"], row["old"], row["new"]) for row in rows if row["end"]]
    assert ends == [("P", 0, 0), ("P", 3, 3), ("AP", 0, 0), ("AP", 3, 3)]
    assert [(row["old"], row["new"]) for row in rows if not row["end"]] == [(1, 2), (2, 1), (1, 1)]
    assert "before" in svg(chart)
