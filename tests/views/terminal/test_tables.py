"""Tables for the terminal: best run first, intervals drawn, nothing taken for markup."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.views.tables import (
    WIDTH,
    interval_bar,
    plain_table,
    scores_table,
    wide_table,
)
from tests.views.terminal.printed import text_of


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted))
def test_a_bar_is_as_wide_as_its_column_and_marks_the_score(ends: list[float]) -> None:
    lower, value, upper = ends
    bar = interval_bar(lower, value, upper, 0.0, 1.0).plain
    assert len(bar) == WIDTH
    assert bar.count("┃") == 1
    assert bar.index("┃") == min(WIDTH - 1, int(value * WIDTH))


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0, float("nan")])
def test_a_bar_with_ends_is_as_wide_and_marks_what_is_known(value: float) -> None:
    bar = interval_bar(0.0, value, 1.0, 0.0, 1.0, ends=True).plain
    assert len(bar) == WIDTH
    assert bar.count("┃") == (value == value)
    assert (bar[0], bar[-1]) == ("┃" if value == 0 else "├", "┃" if value == 1 else "┤")


def frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "run": ["weak", "[red]strong[/red]", "none"],
            "topic": ["all"] * 3,
            "measure": ["P@5"] * 3,
            "value": [0.2, 0.6, None],
            "lower": [0.2, 0.6, None],
            "upper": [0.9, 0.7, None],
            "judged": [0.3, 0.9, None],
        }
    )


def test_runs_come_best_first_and_names_are_no_markup() -> None:
    text = text_of(scores_table(frame()))
    assert text.index("[red]strong[/red]") < text.index("weak") < text.index("none")
    assert "[0.2000, 0.9000]" in text
    assert "undefined" in text
    assert "90%" in text


def test_measures_without_interval_have_no_bar() -> None:
    bare = frame().with_columns(lower=pl.lit(None, pl.Float64), upper=pl.lit(None, pl.Float64))
    assert "interval" not in text_of(scores_table(bare))


def test_any_frame_is_a_table() -> None:
    text = text_of(plain_table(pl.DataFrame({"a": ["x[0]"], "b": [None]})))
    assert "x[0]" in text
    assert "None" not in text


def test_a_wide_table_has_a_column_for_each_measure_best_run_first() -> None:
    rows = pl.DataFrame({"run": ["a", "b"], "P@5": [0.25, 0.5], "AP": [None, 0.125]})
    assert [line.split() for line in text_of(wide_table(rows)).split("\n")[:3]] == [
        ["run", "P@5", "AP"],
        ["b", "0.5000", "0.1250"],
        ["a", "0.2500", "undefined"],
    ]
    topics = pl.DataFrame({"run": ["a", "b"], "topic": ["1", "1"], "P@5": [0.25, 0.5]})
    assert [line.split()[0] for line in text_of(wide_table(topics)).split("\n")[1:3]] == ["a", "b"]


def test_on_a_narrow_terminal_the_bar_goes_and_names_and_scores_stay_whole() -> None:
    long = "a-name-of-a-run-of-some-40-letters-in-all"
    rows = frame().with_columns(run=pl.Series([long, "b", "c"]))
    for width in (80, 110):
        text = text_of(scores_table(rows), width)
        assert ("┃" in text) == (width == 110)
        line = next(line for line in text.split("\n") if line.startswith(long))
        assert line.split()[1:4] == ["0.2000", "[0.2000,", "0.9000]"]
