"""Whatever the bytes, the readers make of them what the parser of the documented rules makes."""

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.files.problems import InputError, Notices, Problem
from leadline.files.source import Source
from leadline.files.white_space import whole_text
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows
from leadline.formats.trec_qrels import check_qrels, plain_lines, read_qrels
from leadline.formats.trec_run import check_run, plain_rows, read_run
from tests.reference.formats import Parsed, parse_qrels, parse_run

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


def codes(problems: list[Problem]) -> dict[int, str]:
    return {problem.line or 0: problem.code for problem in problems}


def parsed_by(check: Callable[[], Parsed]) -> Parsed:
    """What a reader makes of a file, also where it refuses it as a whole."""
    try:
        return check()
    except InputError as error:
        (problem,) = error.problems
        return Parsed(faults={0: problem.code})


def run_rows(rows: Rows) -> list[tuple[str, str, float]]:
    topics = rows.topic.gather(rows.stretch_of(np.arange(len(rows)))).to_list()
    return list(zip(topics, rows.doc.to_list(), rows.run_score.tolist(), strict=True))


def checked_run(source: Source) -> Parsed:
    rows, number, problems = check_run(source)
    numbered = zip(number.tolist(), run_rows(rows), strict=True)
    return Parsed([(at, *row) for at, row in numbered], codes(problems))


def checked_qrels(source: Source) -> Parsed:
    lines, number, problems = check_qrels(source)
    columns = ["line", "topic", "iteration", "doc", "grade", "inclusion", "stratum"]
    return Parsed(lines.frame(number).select(columns).rows(), codes(problems))


@given(run_files)
@example(b"")
@example(MARK * 2 + b"1 Q0 d1 1 5 t")
@example(b"1 Q0 d1 1 5 t\r2 Q0 d1 1 5 t")
@example(b"\r1 Q0 d1 1 5 t\n")
@example(b"1 Q0 d1\r1 5 t\n")
@example(b"1 0 d1 1\n1 0 d2 1\n1 Q0 d 1 1 t\n")
def test_a_run_is_what_the_rules_say(data: bytes) -> None:
    wanted = parse_run(data)
    source = Source("run", held=data)
    assert parsed_by(lambda: checked_run(source)) == wanted
    fast = plain_rows([whole_text(source)])
    # White space and comments are no reason to look at lines one by one.
    assert (fast is not None) == (set(wanted.faults.values()) <= {"duplicate"})
    if fast is not None and fast.are_sound():
        assert run_rows(fast) == [row[1:] for row in wanted.rows]


@given(qrels_files)
@example(b"1 0 a 1 1\n1 0 b 0 1")
@example(b"1 0 a 1 0\n1 0 b 0 1")
@example(b"1 0 a 1\n1 0 b 0 1\n1 0 c 0 1")
def test_qrels_are_what_the_rules_say(data: bytes) -> None:
    wanted = parse_qrels(data)
    source = Source("qrels", held=data)
    assert parsed_by(lambda: checked_qrels(source)) == wanted
    fast = plain_lines(whole_text(source))
    assert (fast is not None) == (not wanted.faults)
    if fast is not None:
        assert fast.frame().rows() == [row[1:] for row in wanted.rows]


@given(run_files, st.booleans())
def test_reading_a_run_takes_all_or_refuses(data: bytes, lenient: bool) -> None:
    wanted, notices = parse_run(data), Notices()
    found: list[tuple[str, str, float]] | None = None
    try:
        found = run_rows(read_run(Source("run", held=gzip.compress(data)), notices, lenient))
    except InputError:
        assert not notices.problems
    taken = wanted.rows and (lenient or not wanted.faults)
    assert found == ([row[1:] for row in wanted.rows] if taken else None)
    assert len(notices.problems) == bool(taken and wanted.faults)


@given(qrels_files)
def test_reading_qrels_merges_what_agrees_and_refuses_what_does_not(data: bytes) -> None:
    wanted = parse_qrels(data)
    rows = {(topic, doc): what for _, topic, _, doc, *what in reversed(wanted.rows)}
    if len({row[1:4] for row in wanted.rows}) > len(rows):
        return  # Subtopics have rules of their own.
    conflict = any(rows[row[1], row[3]] != list(row[4:]) for row in wanted.rows)
    sound = not wanted.faults and not conflict and any(grade != -1 for grade, *_ in rows.values())
    grades: dict[tuple[str, str], int] | None = None
    try:
        qrels = read_qrels(Source("qrels", held=data), Reading())
        grades = {(topic, doc): grade for topic, doc, grade, *_ in qrels.frame.rows()}
    except InputError as error:
        told = {problem.code for problem in error.problems}
        if conflict and not wanted.faults:
            assert told == {"conflict"}
    settled = {pair: None if g == -1 else max(0, g) for pair, (g, *_) in rows.items()}
    assert grades == (settled if sound else None)


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
