"""Tables in a notebook: best run first, bars to scale, names that cannot become markup."""

import re

import polars as pl

from leadline.presentation.pages.notebook import MOST_ROWS, board_html, frame_html, scores_html

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
