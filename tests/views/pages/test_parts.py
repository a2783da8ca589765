"""Small pieces of a page: whatever words they are given, these are no markup."""

import pytest
from markupsafe import Markup

from leadline.views.page import (
    amount,
    by_measure,
    facts,
    figure,
    fold,
    paragraph,
    part_of_page,
    section,
)

BAD = '<b onclick="x">'


@pytest.mark.parametrize(
    "made",
    [
        section("s", BAD),
        paragraph(BAD),
        figure("f", BAD, [("up", BAD)]),
        by_measure([(BAD, Markup())]),
        part_of_page("options", [(1, BAD)]),
        part_of_page("answer", BAD, BAD, BAD, "", ""),
        facts([(BAD, BAD)]),
        fold(BAD, Markup()),
    ],
)
def test_words_are_no_markup(made: str) -> None:
    assert BAD not in made
    assert "&lt;b onclick=" in made


def test_parts_stand_in_their_order() -> None:
    made = section("s", "Title", paragraph("one"), paragraph("two", "note"))
    assert made == '<section id="s"><h2>Title</h2><p>one</p><p class="note">two</p></section>'
    assert by_measure([("A", Markup("x")), ("B", Markup("y"))]).index('data-measure="1"') > 0
    assert facts([("a", "1"), ("b", "2")]) == "<dl><dt>a</dt><dd>1</dd><dt>b</dt><dd>2</dd></dl>"


def test_a_figure_without_legend_has_no_list() -> None:
    assert "<ul" not in figure("f", "c")
    assert figure("f", "c", [("up", "better"), ("down", "worse")]).count("<li>") == 2


def test_one_is_one_and_others_are_many() -> None:
    assert [amount(n, "run") for n in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert amount(3, "query", "queries") == "3 queries"
