"""Groups: what each found alone, and what leaving it out would do."""

import numpy as np

from leadline.completions.contributions import Groups, contributions
from leadline.stats.board import Board, GroupLeftOut
from leadline.views.report_page import groups_section
from tests.views.boards import board_of, groups, head_of, rows_of, tables

RUNS, JUDGMENTS = tables(n_topics=1)
TWO = groups(["g", "h", "g"])


def section(of: Groups, depth: int | None, board: Board | None = None, given: bool = False) -> str:
    found = contributions(RUNS, JUDGMENTS, of, depth or 1)
    return groups_section([board or board_of(RUNS, JUDGMENTS)], of, found, depth, given)


def test_runs_that_are_groups_of_their_own_have_no_section() -> None:
    assert section(groups(["g", "h", "i"]), 2) == ""


def test_who_found_what_alone() -> None:
    rows = rows_of(section(TWO, 2), "groups-table")
    # g has good and new and finds a and b; h has bad, and brought c to the pool.
    assert rows[0] == ["g", "2", "2", "2", "2", "2", "2"]
    assert rows[1] == ["h", "1", "1", "0", "0", "1", "0"]


def test_without_a_pool_nothing_is_said_of_leaving_out() -> None:
    page = section(TWO, None)
    assert "give it with --pool-depth" in page
    assert head_of(page, "groups-table")[-1] == "found alone"
    assert "left-out" not in page


def test_the_fall_of_a_group_is_the_change_of_its_best_run() -> None:
    left = GroupLeftOut("g", "good", 1.0, 0.25, 0.25, 1.0, 1, 2)
    board = board_of(RUNS, JUDGMENTS)
    board = Board(board.measure, board.scores, board.pairwise, np.arange(3), (left,))
    page = section(TWO, 2, board, given=True)
    assert "pool of depth 2 (given)" in page
    assert rows_of(page, "left-out-0") == [
        ["g", "good", "1.0000", "0.2500", "0.2500", "1.0000", "-0.7500", "1", "2"]
    ]
    assert "(by what was judged)" in section(TWO, 2)
