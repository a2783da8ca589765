"""Runs in pieces: every line once, whole topics in each, cut the same for whoever takes them."""

import gzip
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io import run_stream as module
from leadline.io.inputs import NamedRun, plain_sources, runs_from
from leadline.io.problems import InputError
from leadline.io.run_stream import RunPiece, run_pieces


def write_run(path: Path, lengths: list[int]) -> Path:
    lines = [
        f"{topic} Q0 d{doc} 1 {-doc} x\n"
        for topic, length in enumerate(lengths, 7)
        for doc in range(length)
    ]
    path.write_text("".join(lines))
    return path


def spans_of(path: Path, size: int, step: int = 1 << 16) -> list[RunPiece]:
    with patch.object(module, "RANGE", size), patch.object(module, "_STEP", step):
        pieces = run_pieces(runs_from(str(path)), cut=True)
    assert pieces is not None
    return pieces


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(1, 200), st.integers(1, 50)
)
def test_spans_hold_every_line_once_and_end_where_a_topic_does(
    lengths: list[int], size: int, step: int
) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = write_run(Path(folder) / "a.run", lengths)
        pieces = spans_of(path, size, step)
        if not pieces[0].in_part:
            assert pieces == [RunPiece((NamedRun("a", str(path)),), (path.stat().st_size,))]
            return
        texts = []
        for piece in pieces:
            (source,) = plain_sources(list(piece.runs)) or []
            texts.append(source.data)
        assert b"".join(texts) == path.read_bytes()
        topics = [{line.split()[0] for line in text.splitlines()} for text in texts]
        assert sum(map(len, topics)) == len(lengths)
        # No longer than they must be: all but the last pass their size in their last topic.
        for text, held in zip(texts[:-1], topics, strict=False):
            assert len(text) > size
            last = max(held, key=int)
            assert (
                len(b"".join(x for x in text.splitlines(True) if x.split()[0] != last)) <= size + 40
            )


def test_small_files_come_together_and_large_ones_in_spans(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_run(tmp_path / f"{name}.run", [3, 3])
    large = write_run(tmp_path / "c.run", [200] * 10)
    with patch.object(module, "RANGE", 10_000):
        pieces = run_pieces(runs_from(str(tmp_path)), cut=True)
        whole = run_pieces(runs_from(str(tmp_path)), cut=False)
    assert pieces is not None
    assert whole is not None
    assert [run.name for piece in whole for run in piece.runs] == ["a", "b", "c"]
    assert not any(piece.in_part for piece in whole)
    assert large.stat().st_size > 20_000


def test_a_packed_file_is_one_piece(tmp_path: Path) -> None:
    plain = write_run(tmp_path / "a.run", [200] * 10)
    packed = tmp_path / "b.run.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes(), 0))
    assert len(spans_of(plain, 5000)) > 2
    assert len(spans_of(packed, 5000)) == 1


def test_a_span_knows_its_whole_and_its_neighbours(tmp_path: Path) -> None:
    first, second, *_ = spans_of(write_run(tmp_path / "a.run", [200] * 10), 5000)
    assert first.same_run(second)
    assert not first.whole().in_part
    assert not first.same_run(first.whole())


def test_a_pipe_stays_with_who_has_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.run")
    assert run_pieces([NamedRun("a", str(tmp_path / "a.run"))], cut=True) is None
    assert run_pieces([NamedRun("stdin", "-")], cut=True) is None


def test_what_is_missing_is_told_before_anybody_works(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.run: no such file"):
        run_pieces([NamedRun("gone", str(tmp_path / "gone.run"))], cut=True)


def test_a_file_that_is_another_one_for_a_worker_is_told(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a.run", [3])
    (piece,) = run_pieces(runs_from(str(path)), cut=True) or []
    piece.check()
    path.write_text("7 Q0 d 1 1 x\n")
    with pytest.raises(InputError, match="has 13 bytes for this worker, "):
        piece.check()


def test_no_topic_is_looked_for_behind_a_nul_byte() -> None:
    chunks = iter([b"7 Q0 a 1 1 x\n7 Q0", b" b 2 0 x\n\0", b"\0", b"\0"])
    assert module._next_topic(chunks, 0) is None
    assert len(list(chunks)) == 2
