"""Colours, headings and what is shown of a mark."""

from leadline.views.charts import colour_of, numbers, title


def test_one_name_needs_no_legend_and_many_need_more_colours() -> None:
    assert colour_of("x", ["a"]).to_dict()["legend"] is None
    assert colour_of("x", list("ab")).to_dict()["scale"]["scheme"] == "tableau10"
    assert colour_of("x", list("abcdefghijk")).to_dict()["scale"]["scheme"] == "tableau20"


def test_a_heading_without_a_line_below_has_none() -> None:
    assert "subtitle" not in title("Pool").to_dict()
    assert title("Pool", "by topic").to_dict()["subtitle"] == "by topic"


def test_numbers_are_shown_to_four_digits() -> None:
    assert [shown.to_dict()["format"] for shown in numbers("lower", "upper")] == [".4f"] * 2
