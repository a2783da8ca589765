"""JSON of both kinds is told apart, and its faults have their line."""

import pytest

from leadline.io.json_table import JsonLines, RanxJson, json_objects, loaded
from leadline.io.problems import InputError
from leadline.io.source import Source


@pytest.mark.parametrize(
    ("data", "lines", "nested"),
    [
        (b'{"qid": 1}', True, False),
        (b'{"1": {"a": 1}}', False, True),
        (b'{"1": {"a": 1}}\n{"2": {"a": 1}}', True, False),
        (b'{"1": ["a"]}', False, True),
        (b'{\n"1": {"a": 1}}', False, True),
        (b" [ {", True, False),
        (b"{}", False, True),
        (b"{1} Q0 a 1 5 x", False, False),
        (b"[1, 2]", False, False),
    ],
)
def test_lines_and_nested_objects_are_told_apart(data: bytes, lines: bool, nested: bool) -> None:
    source = Source("x", held=data)
    assert (JsonLines().looks_like(source), RanxJson().looks_like(source)) == (lines, nested)


def test_objects_have_their_line() -> None:
    source = Source("x", held=b'{"a": 1}\n\n{"a": 2}')
    assert list(json_objects(source)) == [(1, {"a": 1}), (3, {"a": 2})]


@pytest.mark.parametrize(
    ("data", "line"), [(b"{", 7), (b'{"a":\n x}', 8), (b'{"a": 1, "a": 2}', 7), (b"\n\xff", 8)]
)
def test_faults_have_their_line(data: bytes, line: int) -> None:
    with pytest.raises(InputError) as error:
        loaded("x", data, 7)
    assert error.value.problems[0].line == line


@pytest.mark.parametrize("half", [rb"\ud800", rb"\uDFFF\uD800", b"\xed\xa0\x80"])
def test_half_a_letter_is_refused_with_its_line(half: bytes) -> None:
    with pytest.raises(InputError, match=r"x:2: (holds|is not UTF-8)"):
        list(json_objects(Source("x", held=b'{"a": 1}\n{"a": "' + half + b'"}\n')))
    assert loaded("x", rb'"\ud83d\ude00"') == "\U0001f600"


def test_objects_without_a_field_are_refused() -> None:
    with pytest.raises(InputError, match="x:1: has objects without any field"):
        JsonLines().table(Source("x", held=b"{}\n{}"))
