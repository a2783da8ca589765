"""Words behind a score are drawn rank by rank, the longest first."""

import polars as pl

from leadline.views.charts import word_bars
from tests.views.charts.drawn import rows_of, svg

FRAME = pl.DataFrame(
    [
        (1, "d1", "a", 0.3, "moon", 0.2),
        (1, "d1", "a", 0.3, "sun", 0.15),
        (1, "d1", "a", 0.3, "(length)", -0.05),
        (2, "d2", "a", 0.0, "tide", 0.1),
        (3, "d3", "b", 0.1, "(before)", 0.06),
        (3, "d3", "b", 0.1, "gull", 0.04),
    ],
    schema=["rank", "doc", "subtopic", "gain", "word", "part"],
    orient="row",
)


def test_only_words_of_ranks_that_have_a_gain_are_drawn() -> None:
    drawn = word_bars(FRAME, "a score")
    assert [(row["rank"], row["word"]) for row in rows_of(drawn)] == [
        (1, "moon"),
        (1, "sun"),
        (3, "gull"),
    ]
    assert "rank 3: d3, gain 0.1" in svg(drawn)


def test_a_rank_has_no_more_words_than_asked_for() -> None:
    assert [row["word"] for row in rows_of(word_bars(FRAME, "a score", 1))] == ["moon", "gull"]


def test_a_score_of_nought_is_drawn_without_words() -> None:
    assert "a score" in svg(word_bars(FRAME.filter(gain=0.0), "a score"))
