"""Adjusted scores: best first, who changes places, and why not to trust some."""

import polars as pl

from leadline.views.tables import adjusted_tables
from tests.views.terminal.printed import lines_of, text_of

FRAME = pl.DataFrame(
    {
        "run": ["[b]up[/b]", "down", "odd"],
        "measure": ["P@5"] * 3,
        "adjuster": ["WebberSystems"] * 3,
        "unadjusted": [0.2, 0.3, 0.1],
        "adjustment": [0.2, 0.05, -0.025],
        "adjusted": [0.4, 0.35, 0.075],
        "lower": [0.2, 0.1, None],
        "upper": [0.9, 0.8, None],
        "pred_lower": [0.3, 0.25, None],
        "pred_upper": [0.5, 0.45, None],
        "judged": [0.5, 0.8, 0.1],
        "caveats": ["", "few topics", ""],
    }
)


def test_runs_come_by_adjusted_score_and_tell_where_they_came_from() -> None:
    lines = lines_of(adjusted_tables(FRAME))
    assert " ".join(lines[0]) == "P@5 adjusted by WebberSystems"
    assert lines[2][:7] == ["[b]up[/b]", "2", ">", "1", "0.2000", "+0.2000", "0.4000"]
    assert lines[3][:6] == ["down", "1", ">", "2", "0.3000", "+0.0500"]
    # It stays third, and nobody knows how far off it is.
    assert lines[4] == ["odd", "3", "0.1000", "-0.0250", "0.0750", "unknown", "10%"]
    assert "[0.3000, 0.5000]" in text_of(adjusted_tables(FRAME))


def test_an_interval_is_labelled_and_bounds_are_said_to_be_bounds() -> None:
    assert "95% prediction interval" in text_of(adjusted_tables(FRAME), width=150)
    withheld = FRAME.with_columns(pred_lower=pl.lit(None, pl.Float64))
    text = text_of(adjusted_tables(withheld), width=150)
    assert "bounds [0.2000, 0.9000]" in text


def test_reasons_not_to_trust_stand_below() -> None:
    assert lines_of(adjusted_tables(FRAME))[-1] == ["down:", "few", "topics"]


def test_one_run_has_no_place() -> None:
    assert "place" not in text_of(adjusted_tables(FRAME.head(1)))


def test_names_are_whole_on_a_narrow_terminal() -> None:
    assert "[b]up[/b]" in text_of(adjusted_tables(FRAME), width=70)


def test_every_measure_has_its_table_and_scores_above_one_their_scale() -> None:
    other = FRAME.with_columns(measure=pl.lit("DCG@5"), pred_upper=pl.col("pred_upper") * 10)
    text = text_of(adjusted_tables(pl.concat([FRAME, other])))
    assert "DCG@5 adjusted by WebberSystems" in text
    assert "1.00\n" in text
    assert "5.00\n" in text
