"""Pages without a script: charts drawn once, each with names of its own."""

import re

import altair as alt
import pytest

from leadline.views import page as html
from leadline.views.page import Figure, Fold, Marked, Section, Table, page

BAD = "<script>x()</script>"


def made(*parts: html.Part) -> str:
    return page("T", "lead", [Section("One", parts)])


def chart() -> alt.Chart:
    values = alt.InlineData(values=[{"x": 0.123456, "y": 2}, {"x": 1, "y": 3}])
    return alt.Chart(values).mark_line(clip=True).encode(x="x:Q", y="y:Q")


def test_whatever_is_said_is_no_markup() -> None:
    table = Table(BAD, [BAD], [[BAD], [Marked(BAD, "off")]])
    text = page(BAD, BAD, [Section(BAD, [BAD, table, Fold(BAD, [BAD])])])
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 12


def test_a_table_marks_its_labels_cells_and_groups() -> None:
    rows = [["a", "1"], ["b", Marked("2", "best")]]
    text = made(Table("c", ["run", "n"], rows, n_labels=1, groups=frozenset([1])))
    assert "<th class=label>run</th><th>n</th>" in text
    assert "<tr><th>a</th><td>1</td></tr>" in text
    assert '<tr class=group><th>b</th><td class="best">2</td></tr>' in text


def test_sections_are_linked_in_their_order() -> None:
    text = page("T", "lead", [Section("One"), Section("Two")])
    assert '<a href="#s0">One</a><a href="#s1">Two</a>' in text
    assert text.index('id="s0"') < text.index('id="s1"')


def test_two_charts_on_a_page_share_no_name() -> None:
    text = made(Figure("first", chart()), Fold("more", [Figure("second", chart())]))
    assert text.count("<svg") == 2
    names = re.findall(r'<clipPath id="([^"]+)"', text)
    assert names
    assert len(set(names)) == len(names)
    for used in re.findall(r"url\(#([^)]+)\)", text):
        assert used in names
    assert "aria-" not in text
    # Coordinates are shorter; an axis' labels stay as they are.
    assert not re.search(r'="[^"]*\d\.\d{3}', text)


def test_numbers_that_are_words_stay_whole() -> None:
    values = alt.InlineData(values=[{"x": "0.12345"}])
    text = made(Figure("c", alt.Chart(values).mark_point().encode(x="x:N")))
    assert ">0.12345<" in text


def test_without_the_extra_a_chart_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "can_draw", lambda: False)
    assert "What it shows (not drawn: needs leadline[charts])" in made(
        Figure("What it shows", None)
    )


def test_labels_have_room_for_a_wider_font() -> None:
    config = {"axis": {"labelFontSize": 11.6}}
    text = made(Figure("c", chart().configure_axis(**config["axis"])))
    assert 'font-size="10.00px"' in text
    assert 'font-size="11.6px"' not in text
