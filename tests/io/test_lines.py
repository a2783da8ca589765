"""Lines of as many fields each are found, whatever white space is about them, and nothing else."""

from hypothesis import example, given
from hypothesis import strategies as st

from leadline.io.lines import RegularLines

WHITE = [bytes([byte]) for byte in range(1, 33) if byte != 10]


def fields(line: bytes) -> list[bytes]:
    """Split where the rules of all fields do: bytes 1 to 32 but for the line feed."""
    for blank in WHITE:
        line = line.replace(blank, b" ")
    return [field for field in line.split(b" ") if field]


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Lines of one to three fields with blanks of all kinds about them."""
    gaps = st.lists(st.sampled_from([b" ", b"\t", b"\r", b"\x01"]), max_size=2).map(b"".join)
    words = st.binary(min_size=1, max_size=3).filter(lambda word: fields(word) == [word])
    text = b""
    for _ in range(draw(st.integers(0, 4))):
        for word in draw(st.lists(words, max_size=3)):
            text += draw(gaps) + word + draw(st.sampled_from([b" ", b"", b"  "]))
        text += draw(gaps) + draw(st.sampled_from([b"\n", b"\n", b"\n", b""]))
    return text


@given(st.one_of(st.binary(max_size=60), texts()), st.integers(1, 4))
@example(b"a b\nc d\n", 2)
@example(b"a  b\r\n\tc d \n", 2)
@example(b"a b c\nd\n", 2)
@example(b"a b\n\nc d\n", 2)
@example(b"a b\nc d\n ", 2)
@example(b"a\0b\n", 1)
@example("ä b\n".encode(), 2)
def test_lines_are_regular_or_refused(data: bytes, n_fields: int) -> None:
    *lines, rest = data.split(b"\n")
    counts = {len(fields(line)) for line in lines}
    regular = counts == {n_fields} and not fields(rest) and b"\0" not in data
    try:
        data.decode()
    except UnicodeDecodeError:
        regular = False
    found = RegularLines.of([data], n_fields)
    assert (found is not None) == regular
    if found is not None:
        rows = zip(*(found.names(at).to_list() for at in range(n_fields)), strict=True)
        assert [list(map(str.encode, row)) for row in rows] == [fields(line) for line in lines]
