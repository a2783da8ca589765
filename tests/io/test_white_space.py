"""Regular lines are the fields of the lines; their numbers are those in the file."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.io.lines import (
    is_plain,
    line_numbers,
    plain_text,
    regular,
    whole_text,
)
from leadline.io.problems import InputError
from leadline.io.source import Source

texts = st.text("ab#\t\r\n \x0c\x1f\u00a0", max_size=40).map(str.encode)


def fields(line: bytes) -> list[bytes]:
    """By the rule: whatever is not above the blank separates."""
    found = bytes(byte if byte > 32 else 32 for byte in line).split()
    return [] if found and found[0].startswith(b"#") else found


@given(texts)
def test_every_line_stays_in_its_place_with_one_blank_between_fields(text: bytes) -> None:
    assert regular(text).split(b"\n") == [b" ".join(fields(line)) for line in text.split(b"\n")]


@given(texts)
def test_lines_that_hold_something_are_numbered(text: bytes) -> None:
    wanted = [number for number, line in enumerate(text.split(b"\n")) if fields(line)]
    assert line_numbers(regular(text)).tolist() == wanted


@given(texts)
@example(b"a b\nc ")
@example(b"a b\nc\x0c")
def test_plain_text_has_no_empty_line_and_an_end(text: bytes) -> None:
    wanted = [b" ".join(fields(line)) for line in text.split(b"\n") if fields(line)]
    assert plain_text(text, False) == b"".join(line + b"\n" for line in wanted)
    source = Source("a", held=text)
    if b"\n" in text and is_plain(source):
        assert plain_text(text, True) == plain_text(text, False)


@pytest.mark.parametrize("text", [b"a  b\0 c\n", b"a b\nc\0 d\n"])
def test_a_nul_byte_is_refused(text: bytes) -> None:
    with pytest.raises(InputError, match=f"a:{1 + text[:5].count(10)}: holds a NUL byte"):
        whole_text(Source("a", held=text))


@pytest.mark.parametrize(
    "text", [b"a  b\n", b"a\tb\n", b" a\n", b"a \n", b"\na\n", b"#a\n", b"a\x0c"]
)
def test_what_needs_work_is_not_plain(text: bytes) -> None:
    assert not is_plain(Source("a", held=text))


def test_many_blank_lines_in_a_small_file_take_no_room() -> None:
    import gzip
    import tracemalloc

    packed = gzip.compress(b"\n" * 30_000_000 + b"1 Q0 a 1 5 x\n")
    tracemalloc.start()
    assert whole_text(Source("a", held=packed)) == b"1 Q0 a 1 5 x\n"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000
