"""Two runs to choose from the board, topic by topic."""

import re

from leadline.views.report_page import topics_section
from tests.views.boards import board, head_of, rows_of


def test_runs_are_offered_best_first_by_their_number() -> None:
    page = topics_section([board()], has_queries=False)
    offered = re.findall(r'<option value="(\d)">(\w+)</option>', page)
    assert offered == [("0", "good"), ("2", "new"), ("1", "bad")] * 2
    assert head_of(page, "topics-table")[:2] == ["topic", "run A"]
    assert rows_of(page, "topics-table") == []


def test_queries_have_a_column_where_there_are_some() -> None:
    page = topics_section([board()], has_queries=True)
    assert head_of(page, "topics-table")[:2] == ["topic", "query"]


def test_one_run_has_no_section() -> None:
    assert topics_section([board(rankings={"only": ["a"]})], has_queries=False) == ""
