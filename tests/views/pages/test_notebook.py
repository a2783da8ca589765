"""Tables in a notebook: best run first, bars to scale, names that cannot become markup."""

import re

import polars as pl
import pytest

from leadline.api.compare import compare
from leadline.views.notebook import (
    MOST_ROWS,
    board_html,
    frame_html,
    pairs_html,
    scores_html,
)

SCORES = pl.DataFrame(
    {
        "run": ["low", "<b>high</b>", "none"],
        "topic": ["all"] * 3,
        "measure": ["AP"] * 3,
        "value": [0.25, 0.5, None],
        "lower": [0.25, 0.5, None],
        "upper": [0.75, 0.5, None],
        "judged": [0.5, 1.0, None],
    }
)


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html.split("<tbody>")[1])
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]


def test_the_best_run_stands_first_and_markup_is_text() -> None:
    rows = cells(board_html(SCORES, "AP"))
    assert [row[0] for row in rows] == ["&lt;b&gt;high&lt;/b&gt;", "low", "none"]
    assert rows[1][1:4] == ["0.2500", "0.2500", "0.7500"]
    assert rows[1][5] == "50%"
    assert rows[2][1:] == ["", "", "", "", ""]


def test_bars_are_drawn_to_scale() -> None:
    bar = re.search(r'<rect class="iv" x="([\d.]+)" y="2" width="([\d.]+)"', board_html(SCORES, ""))
    both = re.findall(
        r'<rect class="iv" x="([\d.]+)" y="2" width="([\d.]+)"', board_html(SCORES, "")
    )
    assert bar is not None
    assert [tuple(map(float, pair)) for pair in both] == [(50.0, 0.5), (25.0, 50.0)]


def test_topics_are_folded_away() -> None:
    by_topic = SCORES.with_columns(topic=pl.lit("7"))
    page = scores_html(pl.concat([SCORES, by_topic]))
    assert page.count("<table") == 2
    assert "<details>" in page
    assert "<details>" not in scores_html(SCORES)


def test_of_many_rows_some_are_shown_and_all_are_counted() -> None:
    page = frame_html(pl.DataFrame({"n": range(MOST_ROWS + 1)}))
    assert len(cells(page)) == MOST_ROWS
    assert f"{MOST_ROWS} of {MOST_ROWS + 1} rows" in page
    assert "rows" not in frame_html(pl.DataFrame({"n": [1]}))
    assert "no rows" in frame_html(pl.DataFrame({"n": []}))


def test_errors_and_scores_before_are_shown_where_they_are_known() -> None:
    known = SCORES.with_columns(standard_error=pl.Series([0.125, None, None]))
    (_, low, _) = cells(board_html(known, "AP"))
    assert low[1:3] == ["0.2500", "0.1250"]
    unknown = SCORES.with_columns(standard_error=pl.lit(None, pl.Float64))
    assert board_html(unknown, "AP") == board_html(SCORES, "AP")
    moved = SCORES.drop("value").with_columns(adjusted="lower", unadjusted=pl.lit(0.0625))
    assert cells(board_html(moved, "AP", "adjusted"))[1][1:3] == ["0.2500", "0.0625"]


def test_bounds_and_prediction_intervals_are_told_apart() -> None:
    assert ">bounds</th>" in board_html(SCORES, "AP")
    predicted = SCORES.with_columns(pred_lower="lower", pred_upper=pl.lit(0.625))
    page = board_html(predicted, "AP")
    assert ">95% prediction interval</th>" in page
    assert cells(page)[1][1:4] == ["0.2500", "0.2500", "0.6250"]
    withheld = predicted.with_columns(pred_lower=pl.lit(None, pl.Float64))
    assert ">bounds</th>" in board_html(withheld, "AP")


@pytest.mark.parametrize("n_runs", [3, 11])
def test_of_many_pairs_those_with_the_best_run_are_shown(n_runs: int) -> None:
    runs = {f"r{at:02}": {"1": {"a": 1.0, f"d{at}": 2.0 - at % 2}} for at in range(n_runs)}
    compared = compare({"1": {"a": 1, "b": 0}}, runs, "P@1").pairs["P@1"]
    page = pairs_html(compared)
    n_pairs = n_runs * (n_runs - 1) // 2
    assert len(cells(page)) == (n_pairs if n_runs == 3 else n_runs - 1)
    assert (f"of {n_pairs} pairs" in page) == (n_runs == 11)
