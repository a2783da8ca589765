"""The page of hui17: taus above .8 stand out, what was printed is an aside."""

import pytest

from leadline.lab.papers import hui17 as hui17_page
from leadline.lab.papers.hui17 import (
    at_percent,
    clipped,
    closest,
    figures,
    frames,
    report,
    show_table1,
    show_table2,
    show_table3,
    show_table4,
    who_is_closest,
)
from leadline.lab.papers.hui17_plan import PARTS, names
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Setting
from leadline.views.page import Marked
from tests.lab.test_hui17_tables import READ, results

SETTING = Setting("folder/sea", quick=True)
FRAMES = frames(results(), SETTING)


def test_orders_that_are_close_are_marked() -> None:
    rows = {row[0]: row for row in show_table4(FRAMES).rows if row[1] == "here"}
    first = rows[names()[0]]
    assert first[2] == Marked("1.00", "best")
    assert first[-1] == "-1.00"


def test_what_was_printed_stands_beside_as_an_aside() -> None:
    for row in show_table3(FRAMES).rows:
        assert isinstance(row[2], Marked)
        assert row[2].kind == "aside"
    years = published("hui17")["table4"]
    assert len(show_table4(FRAMES).rows) == len(names()) * (1 + len(years))


def test_all_parts_and_percentages_have_a_column() -> None:
    assert len(show_table2(FRAMES).head) == 3 + len(PARTS) ** 2
    assert len(show_table2(FRAMES).rows) == 2 * len(names()) * len(READ)
    some = at_percent(FRAMES, (1, 50))
    assert some.head == ("", "", "1%", "50%")
    assert [row[2] for row in some.rows[:6]] == ["0.01 ± 0.15"] * 6


def test_the_page_is_whole() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "on sea: 3 runs, 2 topics, 4 subtopics, 10 judged documents, 5 of them" in page
    assert page.count("<svg") == 3
    assert "NaN" not in page


def test_without_the_extra_figures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hui17_page, "can_draw", lambda: False)
    first, second = figures(FRAMES)
    assert "leadline[charts]" in str(first[0])
    assert second == []


def test_printed_tables_1_and_2_stand_beside_ours() -> None:
    rows = show_table1(FRAMES).rows
    assert [row[1] for row in rows[:5]] == ["here", *(f"printed, {y}" for y in range(2009, 2013))]
    assert [cell.text for cell in rows[4][2:]] == ["0.23", "0.40", "0.31", "0.51"]  # type: ignore[union-attr]
    two = show_table2(FRAMES).rows
    assert [cell.text for cell in two[1][3:6]] == ["0.87", "0.89", "0.71"]  # type: ignore[union-attr]
    # What is printed of judgments on C and runs on B is the same in both tables.
    values = published("hui17")
    at = values["table2_columns"].index("C B")
    for name, known in values["table2"].items():
        assert [row[at] for row in known.values()] == values["table1"]["2012"][name]


def test_who_is_closest_is_counted() -> None:
    assert closest([[0.1, 0.3, 0.3], [0.5, 0.2, 0.1]], ["a", "b", "c"]) == "a 1, b 1, c 1"
    told = who_is_closest(FRAMES)
    assert "printed, of 12: ABSnb 3, ABSrb 3, DELTAnb 4, DELTArb 3" in told
    assert "here, of 3:" in told


def test_it_is_said_where_most_scores_are_cut_off() -> None:
    (told,) = clipped(FRAMES)
    assert told.startswith("ABSnb@20: with 1 to 50% judged up to 80% of the lists score 0")
