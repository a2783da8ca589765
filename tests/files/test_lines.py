"""Lines with one blank between fields are found, and nothing else is taken for one."""

from hypothesis import example, given
from hypothesis import strategies as st

from leadline.files.lines import RegularLines


@given(st.binary(max_size=60), st.integers(1, 4))
@example(b"a b\nc d\n", 2)
@example("ä b\n".encode(), 2)
def test_lines_are_regular_or_refused(data: bytes, n_fields: int) -> None:
    blanks = [bytes([byte]) for byte in data if byte <= 32]
    lines = data.split(b"\n")[:-1]
    regular = (
        data.endswith(b"\n")
        and set(blanks) <= {b" ", b"\n"}
        and all(len(line.split(b" ")) == n_fields for line in lines)
        and all(field for line in lines for field in line.split(b" "))
    )
    try:
        data.decode()
    except UnicodeDecodeError:
        regular = False
    found = RegularLines.of([data], n_fields)
    assert (found is not None) == regular
    if found is not None:
        rows = zip(*(found.names(at).to_list() for at in range(n_fields)), strict=True)
        assert [list(row) for row in rows] == [line.decode().split(" ") for line in lines]
