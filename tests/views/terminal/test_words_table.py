"""The words behind a score: those that bring something, most first, and only so many."""

import polars as pl

from leadline.views.tables import words_table
from tests.views.terminal.printed import lines_of

FRAME = pl.DataFrame(
    [
        (1, "d1", "a", 0.5, 1.0, "tide", 0.4),
        (1, "d1", "a", 0.5, 1.0, "fog", 0.2),
        (1, "d1", "a", 0.5, 1.0, "rope", 0.1),
        (1, "d1", "a", 0.5, 1.0, "(length)", -0.2),
        (2, None, "b", 0.0, 1.0, "reef", 0.1),
    ],
    schema=["rank", "doc", "subtopic", "gain", "weight", "word", "part"],
    orient="row",
)


def test_a_row_a_rank_with_its_first_words() -> None:
    lines = lines_of(words_table(FRAME, n_words=2))
    assert lines[1] == ["1", "d1", "0.5000", "a", "tide", "0.400,", "fog", "0.200"]


def test_a_document_without_text_and_a_rank_without_gain_are_told() -> None:
    assert lines_of(words_table(FRAME, 2))[2] == ["2", "(no", "text)", "0.0000", "b"]
