"""Whatever the bytes, the readers make of them what the parser of the documented rules makes."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.io.source import Source
from tests.fuzz.fields import (
    checked_run,
    qrels_taken_or_refused,
    run_taken_or_refused,
    trec_qrels,
    trec_run,
)
from tests.reference.formats import parse_run

MARK = b"\xef\xbb\xbf"
NAMES = "1 2 401 d1 d2 #7 a# \ufeff1 \u00e9 d\u00a0x".encode().split(b" ")
NUMBERS = (
    "0 1 -1 +2 5 0.5 -.5e3 1e999 nan -Inf infinity 1_0 40000 -32769 0000000000012 "
    f"{'9' * 30} - 1. 0.{'3' * 70} \u0663"
)
GAPS = [b" "] * 9 + [b"\t", b"  ", b"\r", b"\x0c", b" \x1f", b"\x0b\t"]
ENDS = [b"\n"] * 9 + [b"\r\n", b" \n", b"\n\n", b"\r", b"", b"\n# no\xff te\n", b"\n\r"]
STARTS = [b""] * 6 + [MARK, MARK * 2, b"\r", b"\n", b" ", b"# x\n", b"\0"]
names = st.sampled_from([*NAMES, b"\xff"])
numbers = st.sampled_from(NUMBERS.encode().split())
gaps, ends = st.sampled_from(GAPS), st.sampled_from(ENDS)


@st.composite
def files(draw: st.DrawFn, columns: list[st.SearchStrategy[bytes]]) -> bytes:
    """Mostly sound lines, some with a field too many or too few, in all kinds of white space."""
    end = draw(ends)
    parts = [draw(st.sampled_from(STARTS))]
    for _ in range(draw(st.integers(0, 6))):
        fields = [draw(column) for column in columns]
        if draw(st.integers(0, 9)) == 0:
            fields = [*fields[: draw(st.integers(0, 6))], *draw(st.lists(names, max_size=2))]
        last = draw(ends) if draw(st.integers(0, 4)) == 0 else end
        parts += [draw(gaps).join(fields), last]
    return b"".join(parts)


anything = (
    st.lists(st.one_of(names, numbers, gaps, ends, st.binary(max_size=3)), max_size=30)
    .map(b"".join)
    .filter(lambda data: not data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")))
)
run_files = st.one_of(
    files([names, st.just(b"Q0"), names, st.just(b"1"), numbers, names]), anything
)
qrels_files = st.one_of(
    files([names, st.sampled_from([b"0", b"1"]), names, numbers]),
    files([names, st.just(b"0"), names, numbers, numbers]),
    anything,
)


@given(run_files)
@example(b"")
@example(MARK * 2 + b"1 Q0 d1 1 5 t")
@example(b"1 Q0 d1 1 5 t\r2 Q0 d1 1 5 t")
@example(b"\r1 Q0 d1 1 5 t\n")
@example(b"1 Q0 d1\r1 5 t\n")
@example(b"1 0 d1 1\n1 0 d2 1\n1 Q0 d 1 1 t\n")
def test_a_run_is_what_the_rules_say(data: bytes) -> None:
    trec_run(data)


@given(qrels_files)
@example(b"1 0 a 1 1\n1 0 b 0 1")
@example(b"1 0 a 1 0\n1 0 b 0 1")
@example(b"1 0 a 1\n1 0 b 0 1\n1 0 c 0 1")
def test_qrels_are_what_the_rules_say(data: bytes) -> None:
    trec_qrels(data)


@given(run_files)
def test_reading_a_run_takes_all_or_refuses(data: bytes) -> None:
    run_taken_or_refused(data)


@given(qrels_files)
def test_reading_qrels_merges_what_agrees_and_refuses_what_does_not(data: bytes) -> None:
    qrels_taken_or_refused(data)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_large_file_is_what_the_rules_say(end: bytes) -> None:
    lines = [b"%d Q0 d%d 1 %d t" % (n // 500, n, -n) for n in range(150_000)]
    lines[100_000] = b"# a comment"
    lines[120_000] = b"1 Q0 d1 1 high t"
    lines[130_000] = b"0 Q0 d7 1 5 t"
    data = MARK + end.join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_bytes(data)
        found = checked_run(Source("run", path))
    assert found == parse_run(data)
    assert found.faults == {120_001: "score", 130_001: "duplicate"}
