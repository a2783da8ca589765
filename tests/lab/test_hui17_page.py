"""The page of hui17: taus above .8 stand out, what was printed is an aside."""

import pytest

from leadline.lab.papers import hui17 as hui17_page
from leadline.lab.papers.hui17 import (
    WAYS,
    at_percent,
    figures,
    frames,
    report,
    show_table2,
    show_table3,
    show_table4,
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
    assert len(show_table2(FRAMES).head) == 2 + len(PARTS) ** 2
    assert len(show_table2(FRAMES).rows) == len(names()) * len(READ)
    some = at_percent(FRAMES, (1, 50))
    assert some.head == ("", "", "1%", "50%")
    assert [row[2] for row in some.rows[: len(WAYS)]] == ["0.01"] * len(WAYS)


def test_the_page_is_whole() -> None:
    page = report(results(), FRAMES, SETTING)
    assert "on sea: 3 runs, 2 topics, 4 subtopics, 10 judged documents, 5 of them" in page
    assert page.count("<svg") == 2
    assert "NaN" not in page


def test_without_the_extra_figures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hui17_page, "can_draw", lambda: False)
    first, second = figures(FRAMES)
    assert "leadline[charts]" in str(first[0])
    assert second == []
