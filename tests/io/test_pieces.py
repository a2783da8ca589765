"""A run cut into pieces scores as it does whole, however its lines are written."""

import gzip
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import leadline
from leadline.api.evaluate import evaluate
from leadline.io import lines as pieces
from leadline.io import run_stream
from leadline.io.inputs import NamedRun
from leadline.io.lines import cut_texts, last_topic
from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.trec import plain_rows

MEASURES = ["P@2", "AP", "nDCG@3", "RBP(p=0.8)", "Recall", "NumRet"]
QRELS = {
    str(topic): {f"d{doc}": (doc * topic) % 3 for doc in range(1, 8) if (doc + topic) % 3}
    for topic in range(1, 6)
}


@st.composite
def run_files(draw: st.DrawFn) -> bytes:
    """Lines of topics with and without judgments, in one stretch each or scattered."""
    topics = draw(st.lists(st.integers(1, 7), min_size=1, max_size=6, unique=True))
    lines = [
        (topic, doc, score)
        for topic in topics
        for doc, score in draw(
            st.dictionaries(st.integers(1, 9), st.integers(-3, 3), min_size=1, max_size=9)
        ).items()
    ]
    if draw(st.booleans()):
        lines = draw(st.permutations(lines))
    gap = draw(st.sampled_from([" ", "  ", "\t", " \t "]))
    end = draw(st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n# a b c 5 e\n"]))
    text = end.join(gap.join([str(t), "Q0", f"d{d}", "1", str(s), "x"]) for t, d, s in lines)
    return (text + draw(st.sampled_from(["", end]))).encode()


def scores(path: Path, unjudged: str) -> tuple[pl.DataFrame, list[str]]:
    found = evaluate(
        QRELS,
        [path],
        MEASURES,
        per_topic=True,
        unjudged_topics=unjudged,  # type: ignore[arg-type]
    )
    return found.frame, sorted(map(str, found.notices.problems))


@given(run_files(), st.integers(16, 300), st.sampled_from(["ignore", "include"]))
def test_a_run_in_pieces_scores_as_it_does_whole(data: bytes, size: int, unjudged: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.txt"
        path.write_bytes(data)
        try:
            whole = scores(path, unjudged)
        except InputError:
            return
        with patch.object(pieces, "PIECE", size), patch.object(run_stream, "PIECE", size // 4):
            cut = scores(path, unjudged)
    assert_frame_equal(cut[0], whole[0], check_exact=True)
    assert cut[1] == whole[1]


@given(st.lists(st.sampled_from(["1", "12", "2"]), min_size=1, max_size=40), st.integers(1, 30))
def test_pieces_hold_whole_topics_and_nothing_is_lost(topics: list[str], size: int) -> None:
    ordered = sorted(topics)
    text = "".join(f"{t} Q0 d{n} 1 {n} x\n" for n, t in enumerate(ordered)).encode()
    with patch.object(pieces, "PIECE", size):
        parts = [plain_rows([part]) for part in cut_texts(Source("run", held=text))]
    assert all(part is not None and part.are_sound() for part in parts)
    named = [set(part.topic.to_list()) for part in parts if part is not None]
    assert sum(map(len, named)) == len(set(topics))
    docs = [doc for part in parts if part is not None for doc in part.doc.to_list()]
    assert docs == [f"d{n}" for n in range(len(ordered))]


@given(st.lists(st.sampled_from(["1", "12", "2"]), min_size=1, max_size=300))
def test_the_last_topic_begins_where_a_plain_search_says(topics: list[str]) -> None:
    topics.sort()
    lines = [f"{topic} Q0 document{'x' * (n % 50)}\n" for n, topic in enumerate(topics)]
    first = len(topics)
    while first and topics[first - 1] == topics[-1]:
        first -= 1
    assert last_topic("".join(lines).encode()) == len("".join(lines[:first]))
    assert last_topic("".join([*lines, "2 Q"]).encode()) == len("".join(lines[:first]))


@pytest.mark.parametrize(
    "bad", ["1 Q0 d 1 1 5 x", "1 Q0 d1 1 5", "1 Q0 d1 1 nan x", "3 Q0 d1 1 5 x\n3 Q0 d1 2 4 x"]
)
def test_a_fault_in_a_later_piece_is_found_and_named(bad: str, tmp_path: Path) -> None:
    good = "".join(f"1 Q0 d{n} 1 {n} x\n" for n in range(2, 9))
    path = tmp_path / "run.txt"
    path.write_text(good + "2 Q0 d1 1 5 x\n" + bad + "\n4 Q0 d1 1 5 x\n")
    small = patch.object(pieces, "PIECE", 64), patch.object(run_stream, "PIECE", 16)
    with small[0], small[1], pytest.raises(InputError) as error:
        leadline.evaluate(QRELS, [path], MEASURES)
    line = 10 if "\n" in bad else 9
    assert [problem.line for problem in error.value.problems][-1] == line


def cut(size: int) -> tuple[Any, Any]:
    return patch.object(pieces, "PIECE", size), patch.object(run_stream, "PIECE", size // 4)


def test_a_byte_order_mark_inside_a_file_is_no_beginning(tmp_path: Path) -> None:
    lines = [f"{topic} Q0 d{doc} 1 {9 - doc} x\n" for topic in (1, 2, 3) for doc in range(1, 5)]
    lines[4] = "\ufeff" + lines[4]
    path = tmp_path / "run.txt"
    path.write_text("".join(lines))
    whole = scores(path, "include")
    first, second = cut(16)
    with first, second:
        assert scores(path, "include")[1] == whole[1]
        assert_frame_equal(scores(path, "include")[0], whole[0])
    assert "\ufeff2" in whole[0]["topic"].to_list()


@pytest.mark.parametrize("text", ["1\tQ0\td1\t1\t5\tx\0\n", "1 Q0 d1 1 5 x\r\n# \0\r\n"])
def test_a_nul_byte_is_refused_however_fields_are_separated(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(text.encode())
    with pytest.raises(InputError, match="NUL"):
        leadline.evaluate(QRELS, [tmp_path / "run.txt"], "P@1")


def test_a_line_commented_out_is_no_topic(tmp_path: Path) -> None:
    far = "".join(f"1 Q0 e{n} 1 {n} x\n" for n in range(9000))
    for number, before in enumerate(("", far)):
        path = tmp_path / f"run{number}.txt"
        path.write_text(before + "2 Q0 d1 1 5 x\n#1 Q0 d2 2 4 x\n3 Q0 d1 1 5 x\n")
        found = leadline.evaluate(QRELS, [path], "P@1", per_topic=True, unjudged_topics="include")
        assert "#1" not in found["topic"].to_list()
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("1 0 d1 1\n#2 0 d1 1\n")
    found = leadline.evaluate(qrels, {"1": {"d1": 1.0}}, "P@1", per_topic=True)
    assert found["topic"].to_list() == ["1", "all"]


def test_nothing_in_a_large_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "none.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "good").write_text("1 Q0 d1 1 5 x\n")
    first, second = cut(8)
    with first, second, pytest.raises(InputError, match="is empty"):
        leadline.evaluate(QRELS, [tmp_path / "good", tmp_path / "none.gz"], "P@1")


@pytest.mark.parametrize("missing", ["lowest", "skip"])
def test_company_does_not_change_a_score_on_topics_without_judgments(
    missing: str, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("1 Q0 d1 1 5 x\n7 Q0 d1 1 5 x\n12 Q0 d1 1 5 x\n")
    (tmp_path / "b").write_text("1 Q0 d1 1 5 x\n")
    (tmp_path / "c").write_text("1 Q0 d1 1 5 x\n1 Q0 d1 1 5 x\n")
    found = []
    for names in ("ab", "abc", "bac"):
        frame = leadline.evaluate(
            QRELS,
            [tmp_path / name for name in names],
            MEASURES,
            per_topic=True,
            unjudged_topics="include",
            missing_topics=missing,
            skip_bad_lines=True,
        )
        found.append(frame.filter(pl.col("run") == "b"))
    assert found[0]["topic"].unique(maintain_order=True).to_list()[:7] == [*"123457", "12"]
    assert_frame_equal(found[0], found[1])
    assert_frame_equal(found[0], found[2])


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
            ahead = run_stream.RunStream([NamedRun("r", path)], "float32")
            parts = [part for _, together in ahead for part in together]
        topics = [topic for part in parts if part.rows for topic in part.rows.topic.to_list()]
        assert topics == [str(topic) for topic in range(2000) if topic != 1600]
