"""The share judged by run and rank, runs as they stand on the board."""

from leadline.io.validate_runs import judged_by_rank
from leadline.views.report_page import judged_section
from tests.views.boards import board_of, head_of, rows_of, tables


def test_shares_stand_by_rank_and_runs_best_first() -> None:
    long = {"short": ["x"], "long": ["a", "b", "c", "x", "y", "z"]}
    runs, judgments = tables(long, n_topics=2)
    judged = judged_by_rank(runs, judgments)
    page = judged_section(judged, judgments, board_of(runs, judgments))
    ranks = head_of(page, "judged-table")[1:]
    assert ranks[0] == "1"
    assert ranks[-1].endswith("6")
    first, second = rows_of(page, "judged-table")
    assert (first[0], second[0]) == ("long", "short")
    assert (first[1], second[1]) == ("100%", "0%")
    # The short list has nothing further down.
    assert second[-1] == ""
    # Six documents on two topics, of which three are judged.
    assert "6 of 12 pairs" in page
