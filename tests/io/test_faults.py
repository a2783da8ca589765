"""Lines are sound or have a fault with their number; sound pieces are not looked at one by one."""

from collections.abc import Callable

import pytest

import leadline
from leadline.io.lines import (
    Found,
    check_lines,
    is_number,
    numbered_lines,
    quoted,
    skip_hint,
    skip_or_stop,
    whole_number,
    wrong_fields,
)
from leadline.io.problems import InputError, Notices, Problem
from leadline.io.source import Source


def two_fields(fields: list[str]) -> Found | None:
    return wrong_fields(fields, 2)


def never(text: bytes) -> bool:
    return False


def test_sound_lines_and_faults_keep_their_numbers() -> None:
    source = Source("a", held=b"# x\n1 a\n\n2\n 3\t b \n4 \xff\n5 c d e\n")
    found = check_lines(source, two_fields, never)
    assert found.text == b"1 a\n3 b\n"
    assert found.number.tolist() == [2, 5]
    assert [(each.line, each.code) for each in found.problems] == [
        (4, "fields"),
        (6, "encoding"),
        (7, "fields"),
    ]
    assert found.widths == {2: 3, 1: 1, 4: 1}
    assert found.mostly(2)
    assert not found.mostly(1)


def test_a_piece_that_is_sound_is_taken_as_it_is() -> None:
    def unused(fields: list[str]) -> Found | None:
        raise AssertionError

    found = check_lines(Source("a", held=b"1  a\n#\n2 b"), unused, lambda text: True)
    assert (found.text, found.number.tolist(), found.problems) == (b"1 a\n2 b\n", [1, 3], [])


@pytest.mark.parametrize(("data", "code"), [(b"", "empty"), (b"#", "empty"), (b"a\0", "binary")])
def test_what_holds_no_line_is_refused(data: bytes, code: str) -> None:
    readers: list[Callable[[], object]] = [
        lambda: check_lines(Source("a", held=data), two_fields, never)
    ]
    if data != b"#":
        readers.append(lambda: list(numbered_lines(Source("a", held=data))))
    for read in readers:
        with pytest.raises(InputError) as error:
            read()
        assert error.value.problems[0].code == code


def test_lenient_reading_goes_on_if_something_is_left() -> None:
    problems = [Problem("a", 1, "error", "fields", "no")]
    notices = Notices()
    skip_or_stop("a", problems, 5, notices, skip_bad_lines=True)
    assert notices.lines() == ["a: 1 faulty lines were skipped"]
    for skip_bad_lines, left in ((False, 5), (True, 0)):
        with pytest.raises(InputError):
            skip_or_stop("a", problems, left, Notices(), skip_bad_lines)
    skip_or_stop("a", [], 5, notices, skip_bad_lines=False)
    assert len(notices.problems) == 1


def test_numbered_lines_come_with_their_fields() -> None:
    source = Source("a", held=b"a b\n\n#\n\tc\xff")
    assert list(numbered_lines(source)) == [(1, ["a", "b"]), (4, ["c\ufffd"])]


@pytest.mark.parametrize(
    ("text", "number", "whole"),
    [
        ("5", True, 5),
        ("-05", True, -5),
        ("+5.", True, None),
        (".5e-3", True, None),
        ("-Infinity", True, None),
        ("9" * 19, True, None),
        ("nan", False, None),
        ("1_0", False, None),
        ("\u0663", False, None),
        ("5\n", False, None),
        ("", False, None),
    ],
)
def test_numbers_are_told_from_other_text(text: str, number: bool, whole: int | None) -> None:
    assert is_number(text) == number
    assert whole_number(text) == whole


def test_long_text_is_cut() -> None:
    assert quoted("abc", 3) == '"abc"'
    assert quoted("abcd", 3) == '"abc..."'


def test_lenient_is_named_where_most_lines_are_sound() -> None:
    told = "`skip_bad_lines` leaves out the 2 faulty lines and reads the other 3"
    assert skip_hint(2, 3, "lines") == told
    assert skip_hint(2, 2, "lines") == ""
    rows = [("1", "a", 2.0), ("1", "b", 1.0), ("1", "a", 0.5)]
    with pytest.raises(InputError) as error:
        leadline.evaluate({"1": {"a": 1}}, rows, "RR")
    assert str(error.value).endswith(
        "`skip_bad_lines` leaves out the 1 faulty rows and reads the other 2"
    )
    assert len(error.value.problems) == 1
