"""Cells of tables: numbers that sort and save by their value, texts that are no markup."""

import re

import pytest
from markupsafe import Markup

from leadline.views.page import Cell, Column, Drawn, interval_svg, live_table
from tests.views.boards import head_of, rows_of


def table(cell: Cell, column: Column) -> str:
    return live_table("t", "A & B", [Column("run", "text"), column], [["<x>", cell]])


@pytest.mark.parametrize(
    ("cell", "column", "shown", "saved"),
    [
        (0.25, Column("x"), "0.2500", "0.25"),
        (0.123456789, Column("x", digits=2), "0.12", "0.1234568"),
        (1 / 3, Column("x", "share"), "33%", "0.333333"),
        (12345, Column("x", "count"), "12,345", "12345"),
        (7, Column("x"), "7", "7"),
        (None, Column("x"), "", None),
        (float("nan"), Column("x"), "", None),
        ("a<b", Column("x", "text"), "a<b", None),
    ],
)
def test_a_cell_shows_less_than_it_saves(
    cell: Cell, column: Column, shown: str, saved: str | None
) -> None:
    made = table(cell, column)
    assert rows_of(made, "t") == [["<x>", shown]]
    found = re.search(r'data-csv="([^"]*)"', made)
    assert (None if found is None else found[1]) == saved


def test_the_first_column_says_what_a_row_is() -> None:
    made = table(1.0, Column("n", title='say "what"'))
    assert '<th scope="row" class="text" title="&lt;x&gt;">&lt;x&gt;</th>' in made
    assert "<caption>A &amp; B</caption>" in made
    assert 'title="say &#34;what&#34;"' in made
    assert head_of(made, "t") == ["run", "n"]


def test_a_picture_is_sorted_by_its_number() -> None:
    made = table(Drawn(Markup("<svg/>"), 0.5), Column("bar", "drawn"))
    assert '<td data-v="0.5"><svg/></td>' in made
    assert 'data-drawn="sorted"' in made


def bars(lower: float, value: float, upper: float, ends: tuple[float, float]) -> list[float]:
    svg = interval_svg(lower, value, upper, ends)
    begin, width = re.findall(r'class="iv" x="([^"]*)" y="2" width="([^"]*)"', svg)[0]
    (mark,) = re.findall(r'class="mk" x="([^"]*)"', svg)
    return [float(begin), float(width), float(mark)]


def test_a_bar_goes_from_lower_to_upper_on_the_scale() -> None:
    assert bars(0.25, 0.5, 0.75, (0.0, 1.0)) == [25.0, 50.0, 49.4]
    assert bars(5.0, 5.0, 10.0, (0.0, 10.0))[:2] == [50.0, 50.0]


def test_marks_stay_inside_and_a_point_is_seen() -> None:
    assert bars(0.0, 0.0, 0.0, (0.0, 1.0)) == [0.0, 0.5, 0.0]
    assert bars(1.0, 1.0, 1.0, (0.0, 1.0))[2] == 98.8
    assert bars(3.0, 3.0, 3.0, (3.0, 3.0)) == [0.0, 0.5, 0.0]
