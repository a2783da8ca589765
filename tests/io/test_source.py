"""Content comes whole, decompressed and only once held; what is damaged is named."""

import gzip
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.problems import InputError
from leadline.io.source import CHUNK, Source, check_text, read_source, run_name, split_after

TEXT = b"one two\nthree\n" * 50


def problem(error: pytest.ExceptionInfo[InputError]) -> tuple[str, str, int | None]:
    (found,) = error.value.problems
    return found.file, found.code, found.line


@pytest.mark.parametrize(
    "packed",
    [
        TEXT,
        gzip.compress(TEXT),
        gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:]),
        zstd.compress(TEXT),
        zstd.compress(TEXT[:99]) + zstd.compress(TEXT[99:]),
    ],
    ids=["plain", "gzip", "two gzip", "zstd", "two zstd"],
)
def test_content_is_told_by_its_first_bytes_and_read_as_often_as_asked(
    tmp_path: Path, packed: bytes
) -> None:
    (tmp_path / "a").write_bytes(packed)
    for source in (read_source(tmp_path / "a"), Source("a", held=packed)):
        assert source.data == source.data == TEXT
        assert all(len(chunk) <= 7 for chunk in source.chunks(7))
        assert TEXT.startswith(source.head)


def zstd_with_sum(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


@pytest.mark.parametrize("pack", [gzip.compress, zstd_with_sum])
@pytest.mark.parametrize("ruin", ["cut", "flip", "rubbish"])
def test_a_damaged_file_is_named(tmp_path: Path, pack: Callable[[bytes], bytes], ruin: str) -> None:
    packed = bytearray(pack(os.urandom(5000)))
    if ruin == "flip":
        packed[len(packed) // 2] ^= 255
    packed = {"cut": packed[:-20], "flip": packed, "rubbish": packed + b"no more"}[ruin]
    (tmp_path / "a").write_bytes(packed)
    with pytest.raises(InputError, match="is damaged") as error:
        _ = read_source(tmp_path / "a").data
    assert problem(error) == (str(tmp_path / "a"), "compression", None)


def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    source = read_source(tmp_path / "pipe")
    writer.join()
    assert source.data == source.data == TEXT


def test_standard_input_may_be_compressed_or_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(zstd.compress(TEXT))))
    assert read_source("-").data == TEXT
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="closed"):
        read_source("-")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device here")
def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(InputError, match="NUL"):
        read_source("/dev/zero")


def test_a_pipe_is_not_read_behind_its_first_nul_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    # More sound lines than are looked at first.
    text, nul = b"1 Q0 a 1 9 x\n" * 200_000, bytes(1 << 23)
    stream = io.BytesIO(text + nul)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    with pytest.raises(InputError, match="<stdin>:200001: holds a NUL byte"):
        read_source("-")
    assert stream.tell() <= len(text) + CHUNK


def test_the_line_of_a_nul_byte_is_that_in_the_whole_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(TEXT + b"\0")
    source = replace(read_source(tmp_path / "a"), span=(len(TEXT) - 5, len(TEXT) + 1))
    with pytest.raises(InputError) as error:
        list(source.texts())
    assert problem(error)[1:] == ("binary", TEXT.count(b"\n") + 1)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(TEXT)
    chunks = read_source(tmp_path / "a").chunks(10)
    next(chunks)
    with (tmp_path / "a").open("ab") as file:
        file.write(b"more")
    with pytest.raises(InputError, match="changed while it was read"):
        list(chunks)


@pytest.mark.parametrize(
    ("name", "code"), [("nowhere", "missing"), ("x\0y", "missing"), ("folder", "folder")]
)
def test_what_cannot_be_opened_is_named(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as error:
        read_source(f"{tmp_path}/{name}")
    assert problem(error)[1] == code


def test_a_measure_in_the_place_of_a_file_is_told_from_one() -> None:
    with pytest.raises(InputError, match="repeat -m"):
        read_source("nDCG@10")


@given(st.lists(st.text("ab\n", max_size=5)), st.sampled_from([b"\n", b"ab", b"aab"]))
def test_pieces_end_where_an_end_does_and_nothing_is_lost(parts: list[str], end: bytes) -> None:
    chunks = [part.encode() for part in parts]
    pieces = list(split_after(chunks, end))
    assert b"".join(pieces) == b"".join(chunks)
    assert all(piece.endswith(end) for piece in pieces[:-1])
    assert not pieces or end not in pieces[-1][: -len(end)] or pieces[-1].endswith(end)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", b"a\n"),
        (b"a\n\xef\xbb\xbfb", b"a\n\xef\xbb\xbfb"),
        (b"a\rb\r", b"a\nb\n"),
        (b"a\rb\n", b"a\rb\n"),
        (b"x" * 70_000 + b"\ry", b"x" * 70_000 + b"\ny"),
        (b"x\r" * 70_000 + b"\n", b"x\r" * 70_000 + b"\n"),
    ],
)
def test_marks_and_old_line_ends_are_settled_for_the_file_as_a_whole(
    data: bytes, wanted: bytes
) -> None:
    assert b"".join(Source("a", held=data).texts(1000)) == wanted


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"a\nb\0\n", "binary", 2),
        (b"a\rb\rc\0", "binary", 3),
        (b"\n" * 2_000_000 + b"\0", "binary", 2_000_001),
        (b" \r\n\t", "empty", None),
        (b"\xef\xbb\xbf", "empty", None),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, code: str, line: int | None) -> None:
    with pytest.raises(InputError) as error:
        check_text(Source("a", held=data))
    assert problem(error) == ("a", code, line)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        *((f"bm25{suffix}", "bm25") for suffix in ("", ".gz", ".zst", ".run", ".txt", ".trec")),
        *((f"bm25{suffix}.gz", "bm25") for suffix in (".tsv", ".csv", ".json", ".jsonl")),
        ("a/b.parquet", "b"),
        ("bm25.run.txt", "bm25.run"),
        ("bm25.v1.2", "bm25.v1.2"),
        ("x.gz.gz", "x.gz"),
        (".run", ".run"),
        ("input.bm25.gz", "input.bm25"),
        ("caf\udce9.run", r"caf\xe9"),
    ],
)
def test_a_run_is_named_after_its_file_but_for_one_known_suffix(file: str, name: str) -> None:
    assert run_name(file) == name


def test_the_file_that_may_have_been_meant_is_named(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt.gz").write_bytes(b"")
    (tmp_path / "bm25.run").write_bytes(b"")
    for asked, answer in {
        "qrels.txt": f"no such file, but there is {tmp_path / 'qrels.txt.gz'}",
        "bm25.run.gz": f"no such file, but there is {tmp_path / 'bm25.run'}",
        "bm52.run": f"no such file, did you mean {tmp_path / 'bm25.run'}?",
        "other": "no such file",
        "no/qrels.txt": f"no such file, nor a folder {tmp_path / 'no'}",
    }.items():
        with pytest.raises(InputError) as error:
            read_source(tmp_path / asked)
        assert str(error.value) == f"{tmp_path / asked}: {answer}"


def test_a_file_without_line_feeds_is_not_read_behind_its_first_nul_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"1 Q0 a 1 9 x\r2 Q0 b 1 9 x\r" + bytes(12 << 20))
    chunks, behind = Source.chunks, []

    def watched(source: Source, size: int = CHUNK) -> Iterator[bytes]:
        for chunk in chunks(source, size):
            if not chunk.strip(b"\0"):
                behind.append(len(chunk))
            yield chunk

    monkeypatch.setattr(Source, "chunks", watched)
    with pytest.raises(InputError) as error:
        list(read_source(tmp_path / "a").texts())
    assert problem(error)[1:] == ("binary", 3)
    assert behind == []
