"""The leaderboard: best run first, the interval beside the score."""

from dataclasses import replace

import numpy as np

from leadline.completions.adjuster import Adjusted
from leadline.views.report_page import ADJUSTED, COLUMNS, leaderboard
from tests.views.boards import board, groups, head_of, rows_of

APART = groups(["g", "h", "i"])


def test_runs_stand_best_first_with_what_is_certain() -> None:
    rows = rows_of(leaderboard([board()], APART), "leaderboard-0")
    # good found two of two; new found one and has one open; bad none and one open.
    assert [row[:5] for row in rows] == [
        ["good", "1.0000", "1", "1.0000", "1.0000"],
        ["new", "0.5000", "2", "0.5000", "1.0000"],
        ["bad", "0.0000", "3", "0.0000", "0.5000"],
    ]
    assert [row[8] for row in rows] == ["100%", "50%", "50%"]
    assert all(tier for row in rows for tier in row[6:8])


def test_groups_are_a_column_where_one_has_several_runs() -> None:
    page = leaderboard([board()], groups(["g", "h", "g"]))
    assert head_of(page, "leaderboard-0")[2] == "group"
    assert [row[2] for row in rows_of(page, "leaderboard-0")] == ["g", "g", "h"]
    plain = head_of(leaderboard([board()], APART), "leaderboard-0")
    hidden = ("group", "pooled", "with labels", *ADJUSTED)
    assert plain == [column.name for column in COLUMNS if column.name not in hidden]


def test_unpooled_runs_are_marked_and_their_adjusted_scores_stand_beside() -> None:
    made = board()
    values = {
        name: np.array([number])
        for name, number in (
            ("unadjusted", 0.5),
            ("adjustment", 0.25),
            ("standard_error", 0.1),
            ("lower", 0.5),
            ("upper", 1.0),
            ("pred_lower", 0.6),
            ("pred_upper", np.nan),
            ("unjudged", 0.5),
        )
    }
    adjusted = Adjusted(
        runs=("new",), measure="P@2", adjuster="Regression", doubts=((),), assumed=(), **values
    )
    told = groups(["g", "h", "g"])
    unpooled = np.array([name == "new" for name in made.scores.runs])
    page = leaderboard([replace(made, adjusted=adjusted)], replace(told, pooled=~unpooled))
    assert head_of(page, "leaderboard-0")[2:7] == ["group", "pooled", *ADJUSTED]
    rows = {row[0]: row for row in rows_of(page, "leaderboard-0")}
    assert rows["new"][3:7] == ["unpooled", "0.7500", "0.6000", ""]
    assert rows["good"][3:7] == ["", "", "", ""]
    assert "1 unpooled run." in page
    assert "Diamond: the adjusted score" in page


def test_one_run_has_no_tier_and_a_measure_without_interval_no_bar() -> None:
    alone = leaderboard([board(rankings={"only": ["a", "x"]})], groups(["g"]))
    assert rows_of(alone, "leaderboard-0")[0][6:8] == ["", ""]
    bare = leaderboard([board("bpref")], APART)
    assert "<svg" not in bare
    assert rows_of(bare, "leaderboard-0")[0][3:6] == ["", "", ""]


def test_every_measure_has_its_table() -> None:
    page = leaderboard([board("P@2"), board("P@1")], APART)
    assert "Leaderboard by P@2" in page
    assert rows_of(page, "leaderboard-1")[0][0] == "good"
