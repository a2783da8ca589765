"""Charts and tables saved from the report in a real browser."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.api.pool import pool
from leadline.io.datasets import COLLECTION
from tests.views.conftest import Browser
from tests.views.downloads import rows_of, saved

FIGURES = ["leaderboard", "judged", "groups", "topics", "significance", "orderings"]
SAME_DARK = ["judged", "groups", "topics", "orderings"]


def test_these_are_all_charts(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    found = opened.page.evaluate("Array.from(document.querySelectorAll('figure'), f => f.id)")
    assert found == [f"{name}-chart" for name in FIGURES]


# A page for each chart: Chromium holds back the eleventh file that a page hands out in a hurry.
# All charts are drawn by the same lines, and two tell whether they know the dark colours.
@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *((name, "light") for name in FIGURES),
        *((name, "dark") for name in ("leaderboard", "significance")),
        *(pytest.param(name, "dark", marks=pytest.mark.slow) for name in SAME_DARK),
    ],
)
def test_a_chart_is_saved_as_seen(
    browser: Browser, demo_page: Path, name: str, scheme: Any
) -> None:
    opened, figure = browser.open(demo_page, color_scheme=scheme), f"{name}-chart"
    svg = saved(opened, figure, "SVG").decode()
    ElementTree.fromstring(svg)
    assert "var(" not in svg
    assert "class=" not in svg
    back = "rgb(18, 26, 34)" if scheme == "dark" else "rgb(255, 255, 255)"
    assert f'fill="{back}"' in svg
    label = opened.page.locator(f"#{figure} .plot svg").get_attribute("aria-label")
    assert label in svg.replace("&amp;", "&").split("</text>")[0], "it says what it shows"
    png = saved(opened, figure, "PNG")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(png[16:20], "big") >= 600
    assert len(png) > 2000, "an empty picture is smaller"
    assert len(rows_of(saved(opened, figure, "csv"))) > 5
    opened.quiet()


def test_a_table_is_saved_as_csv_whatever_is_filtered(browser: Browser, demo_page: Path) -> None:
    opened = browser.open(demo_page)
    tools = opened.page.locator("#leaderboard .tools:has(+ .wide #leaderboard-0)")
    tools.locator("input").fill("anstey")
    with opened.page.expect_download() as waiting:
        tools.locator("button").click()
    rows = rows_of(Path(waiting.value.path()).read_bytes())
    assert len(rows) == 24
    assert "interval" not in rows[0]
    shallow = pool(COLLECTION, None, "Depth(d=3)", all_runs=True)
    truth = leadline.evaluate(COLLECTION, measures="RBP(p=0.8)", pool=shallow)
    found = pl.DataFrame(rows).select(
        "run", pl.col("score", "lower", "upper", "judged").cast(float)
    )
    both = truth.join(found, on="run", suffix="_page")
    assert len(both) == 24
    for name, other in (
        ("value", "score"),
        ("lower", "lower_page"),
        ("upper", "upper_page"),
        ("judged", "judged_page"),
    ):
        np.testing.assert_allclose(both[name], both[other], rtol=1e-5)
    opened.quiet()
