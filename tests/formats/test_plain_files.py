"""What is read in numpy is what polars reads, or it is left to polars; numbers are Python's."""

import math
import tempfile
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.collection import run_stream
from leadline.collection.inputs import NamedRun
from leadline.files import pieces
from leadline.files.decimals import decimals, wholes
from leadline.files.lines import RegularLines
from leadline.files.problems import InputError, Notices
from leadline.files.source import Source, is_plain, plain_text
from leadline.formats.normalised_qrels import read_qrels
from leadline.formats.plain_qrels import plain_qrels
from leadline.formats.plain_run import plain_rows
from leadline.formats.trec_run import read_run
from leadline.tables.arrays import Int64s
from leadline.tables.names import PADDING, Bytes

digits = st.text("0123456789", min_size=1, max_size=18)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1000, 1000).map(lambda x: f"{x:.4f}"),
    st.integers(-(10**20), 10**20).map(str),
    st.tuples(st.sampled_from(["", "-"]), digits, digits).map(lambda x: f"{x[0]}{x[1]}.{x[2]}"),
    st.tuples(digits, st.integers(-30, 30)).map(lambda x: f"{x[0]}e{x[1]}"),
    st.sampled_from(["0", "-0", "0.0", ".5", "5.", "-.5", "9007199254740993", "00012.50"]),
)
odd = st.one_of(
    numbers,
    st.text("0123456789.-+eE_/x", min_size=1, max_size=20),
    st.sampled_from(
        [
            "nan",
            "inf",
            "-inf",
            "1_0",
            "٣",
            "1,5",
            "0x1",
            "1.2.3",
            "-",
            ".",
            "1e999",
            "427779141029668e319",
        ]
    ),
)


def places(texts: list[str]) -> tuple[Bytes, Int64s, Int64s]:
    """The texts with a blank after each, padded, and where each begins and ends."""
    parts = [text.encode() for text in texts]
    stop = len(PADDING) + np.cumsum([len(part) + 1 for part in parts]) - 1
    whole = PADDING + b"".join(part + b" " for part in parts) + PADDING
    return np.frombuffer(whole, np.uint8), stop - [len(part) for part in parts], stop


def plain_number(text: str) -> float | None:
    """The number that a text is, if it is written in ASCII digits and is finite."""
    if not set(text) <= set("0123456789.-+eE"):
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@given(st.lists(numbers, min_size=1, max_size=30))
def test_numbers_are_to_the_last_bit_what_python_makes_of_them(texts: list[str]) -> None:
    found = decimals(*places(texts))
    assert found is not None
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


@given(st.lists(odd, min_size=1, max_size=5))
def test_what_is_no_finite_number_is_refused(texts: list[str]) -> None:
    wanted = [plain_number(text) for text in texts]
    found = decimals(*places(texts))
    if None in wanted:
        assert found is None
    else:
        assert found is not None
        assert found.tolist() == wanted


@given(st.lists(st.text("0123456789-+. ", min_size=1, max_size=10), min_size=1, max_size=5))
def test_grades_are_digits_and_nothing_else(texts: list[str]) -> None:
    found = wholes(*places(texts))
    if all(text.isdigit() and len(text) <= 8 for text in texts):
        assert found is not None
        assert found.tolist() == [int(text) for text in texts]
    else:
        assert found is None


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


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
fields = st.one_of(st.sampled_from(["1", "2", "401", "d1", "d2", "FT911-3", "#7", "all"]), names)


@st.composite
def run_lines(draw: st.DrawFn) -> bytes:
    """Mostly sound lines of a run, of any names, with a fault here and there."""
    score = numbers if draw(st.booleans()) else odd
    lines = draw(st.lists(st.tuples(fields, fields, score), min_size=1, max_size=8))
    gap = draw(st.sampled_from([" ", " ", "\t", "  "]))
    made = [gap.join([topic, "Q0", doc, "1", score, "x"]) for topic, doc, score in lines]
    return "\n".join([*made, *draw(st.sampled_from([[], [""], ["#"], ["a b"]]))]).encode()


@given(run_lines())
@example(b"1 Q0 a 1 5 x\n2 Q0 b 2 4 x\n")
@example("1 Q0 ä\u00a0b 1 5 x\n".encode())
def test_rows_are_those_that_polars_reads(data: bytes) -> None:
    source = Source("run", held=data)
    rows = plain_rows([plain_text(data, is_plain(source))])
    if rows is None or not rows.are_sound():
        return
    wanted = read_run(source, Notices())
    stretch = wanted.stretch_of(np.arange(len(wanted)))
    mine = rows.stretch_of(np.arange(len(rows)))
    assert rows.topic.gather(mine).to_list() == wanted.topic.gather(stretch).to_list()
    assert rows.doc.to_list() == wanted.doc.to_list()
    assert rows.doc.series.to_list() == wanted.doc.series.to_list()
    assert rows.run_score.tolist() == wanted.run_score.tolist()
    assert rows.pair_key.tolist() == wanted.pair_key.tolist()


def test_a_usual_run_needs_no_closer_look() -> None:
    text = b"401 Q0 FT911-3 1 21.0926 x\n401 Q0 LA010189-0001 2 -0.5 x\n402 Q0 a 1 1e-3 x\n"
    rows = plain_rows([text, text])
    assert rows is not None
    assert rows.run_start.tolist() == [0, 3]
    assert rows.starts.tolist() == [0, 2, 3, 5]
    assert rows.topic.to_list() == ["401", "402"] * 2
    assert rows.run_score.tolist() == [21.0926, -0.5, 1e-3] * 2


grades = st.one_of(st.integers(-2, 5).map(str), st.sampled_from(["1.0", "+1", "x", "99999"]))


@given(st.lists(st.tuples(fields, st.sampled_from("01"), fields, grades), min_size=1, max_size=8))
@example([("1", "0", "a", "1"), ("2", "0", "a", "0")])
def test_qrels_are_those_that_polars_reads(lines: list[tuple[str, ...]]) -> None:
    source = Source("qrels", held="\n".join(" ".join(line) for line in lines).encode())
    found = plain_qrels(source)
    if found is None:
        return
    notices = Notices()
    wanted = read_qrels(source, notices)
    assert found.frame.equals(wanted.frame)
    assert found.max_grade == wanted.max_grade
    assert not notices.problems


@pytest.mark.parametrize("last", ["1 0 a 1", "1 0 a 2", "1 0 c -1", "all 0 c 1", "1 0 c 40000"])
def test_what_has_to_be_said_of_qrels_is_left_to_who_says_it(last: str) -> None:
    source = Source("qrels", held=f"1 0 a 1\n1 0 b 0\n{last}\n".encode())
    assert plain_qrels(source) is None


def test_usual_qrels_need_no_closer_look() -> None:
    found = plain_qrels(Source("qrels", held=b"2 0 a 1\n1 0 b 0\n2 0 c 3"))
    assert found is not None
    assert found.topic.to_list() == ["2", "1", "2"]
    assert found.grade.tolist() == [1, 0, 3]


def test_evaluating_plain_files_loads_no_polars() -> None:
    import subprocess
    import sys

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "q").write_text("1 0 a 1\n")
        (Path(folder) / "r").write_text("1 Q0 a 1 5 x\n")
        code = (
            "import sys; from leadline.verbs.evaluate import evaluate_runs;"
            "found = evaluate_runs('q', ['r'], ['AP', 'RBP(p=0.8)', 'nDCG@10']);"
            "assert found.scores['AP'].mean().tolist() == [1.0]; print('polars' in sys.modules)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == "False"


def test_a_file_cut_short_meanwhile_ends_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "r"
    path.write_text("".join(f"{topic} Q0 a 1 5 x\n" for topic in range(1000)))
    with patch.object(pieces, "PIECE", 100):
        texts = pieces.cut_texts(Source("r", path))
        assert next(texts)
        path.write_text("0 Q0 a 1 5 x\n")
        assert list(texts) == [b""]


def test_white_space_may_change_further_down(tmp_path: Path) -> None:
    lines = [f"{topic} Q0 a 1 5 x" for topic in range(2000)]
    lines[1500] = "1500  Q0\ta 1 5 x "
    lines[1600] = "# a comment"
    path = tmp_path / "r"
    path.write_text("\n".join(lines))
    for size in (1 << 20, 1 << 10):
        with (
            patch.object(pieces, "PIECE", size),
            patch.object(run_stream, "PIECE", size),
        ):
            ahead = run_stream.RunStream([NamedRun("r", path)], "score")
            parts = [part for _, together in ahead for part in together]
        topics = [topic for part in parts if part.rows for topic in part.rows.topic.to_list()]
        assert topics == [str(topic) for topic in range(2000) if topic != 1600]


def test_a_faulty_file_is_still_explained(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("1 Q0 a 1 5 x\n1 Q0 b 2 1_0 x\n")
    with pytest.raises(InputError, match="r:2: the score must be a number"):
        read_run(Source("r", tmp_path / "r"), Notices())
