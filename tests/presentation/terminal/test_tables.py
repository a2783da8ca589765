"""Tables for the terminal: best run first, intervals drawn, nothing taken for markup."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from leadline.presentation.terminal.tables import WIDTH, interval_bar, plain_table, scores_table
from tests.presentation.terminal.printed import text_of


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted))
def test_a_bar_is_as_wide_as_its_column_and_marks_the_score(ends: list[float]) -> None:
    lower, value, upper = ends
    bar = interval_bar(lower, value, upper, 0.0, 1.0).plain
    assert len(bar) == WIDTH
    assert bar.count("┃") == 1
    assert bar.index("┃") == min(WIDTH - 1, int(value * WIDTH))


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
