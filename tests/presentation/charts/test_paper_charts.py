"""Charts of papers can be drawn, and show the rows that they are given."""

import polars as pl
import pytest

from leadline.presentation.charts.paper_charts import curves, diagram, matrix, spreads
from tests.presentation.charts.drawn import rows_of, svg

CURVES = pl.DataFrame({"depth": [5, 10, 5], "rmse": [0.2, 0.1, 0.3], "by": ["RM", "RM", "LB"]})


def test_curves_have_a_line_for_each_name() -> None:
    chart = curves(CURVES.with_columns(more=pl.lit(1)), "depth", "rmse", "by")
    assert rows_of(chart)[0] == {"depth": 5, "rmse": 0.2, "by": "RM"}
    assert chart.to_dict()["encoding"]["color"]["sort"] == ["RM", "LB"]
    assert "rmse" in svg(chart)


@pytest.mark.parametrize(("name", "sloping"), [("LB", False), ("a name that is long" * 3, True)])
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
