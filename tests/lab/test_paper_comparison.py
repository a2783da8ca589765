"""What a paper printed stands above what was found, and what is the same is counted."""

from leadline.lab.papers.runner import PaperComparison
from leadline.views.page import Marked, Table


def table(of: PaperComparison) -> Table:
    made = of.parts()[-1]
    assert isinstance(made, Table)
    return made


def test_numbers_as_printed_are_told_from_others() -> None:
    made = PaperComparison("c", ["a", "b"])
    made.add("x", ["1 : 2", "3"], ["1 : 9", "3"], ["5", "6"])
    assert made.parts()[0] == "2 of 3 numbers are as printed."
    assert table(made).rows == [
        ("x", "printed", "1 : 2", "3"),
        ("", "its reading", Marked("1 : 9", "off"), Marked("3", "same")),
        ("", "ours", "5", "6"),
    ]


def test_what_was_not_printed_is_not_compared() -> None:
    made = PaperComparison("c", ["a", "b"])
    made.add("x", None, ["1", "2"], ["3", "4"])
    made.add("y", ["", "2"], ["1", "2"], ["3", "4"])
    assert made.parts()[0] == "1 of 1 numbers are as printed."
    assert table(made).rows[0] == ("x", "its reading", "1", "2")
    assert table(made).rows[3] == ("", "its reading", "1", Marked("2", "same"))
    assert table(made).groups == {0, 2}
    alone = PaperComparison("c", ["a"])
    alone.add("x", None, ["1"], ["2"])
    assert len(alone.parts()) == 1


def test_ties_stand_beside_as_an_aside() -> None:
    made = PaperComparison("c", ["a"])
    made.add("x", None, ["1"], ["2"], ["0 to 3"])
    assert table(made).rows[1] == ("", Marked("ties", "aside"), Marked("0 to 3", "aside"))
