"""Files of other tools score as the plain file does."""

import gzip
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from backports import zstd

import leadline
from tests.cli.program import call
from tests.io.bad_files import Folder, check_refused
from tests.io.plain_files import QRELS, QRELS_DICT, RUN_DICT, Rows, scores, text


def triples(lines: list[str]) -> list[tuple[str, str, str]]:
    return [(line.split()[0], line.split()[2], line.split()[3]) for line in lines]


def beir_tsv() -> bytes:
    return text(["query-id\tcorpus-id\tscore", *("\t".join(each) for each in triples(QRELS))])


def beir_jsonl() -> bytes:
    records = [
        json.dumps({"query-id": topic, "corpus-id": doc, "score": int(grade)})
        for topic, doc, grade in triples(QRELS)
    ]
    return text(records)


def parquet(table: dict[str, dict[str, Any]]) -> bytes:
    """As ranx saves it."""
    flat = [(topic, doc, value) for topic, inner in table.items() for doc, value in inner.items()]
    buffer = io.BytesIO()
    pl.DataFrame(flat, schema=["q_id", "doc_id", "score"], orient="row").write_parquet(buffer)
    return buffer.getvalue()


def ranx_json(table: dict[str, dict[str, Any]]) -> bytes:
    return json.dumps(table).encode()


FILES: dict[str, tuple[str, bytes]] = {
    "BEIR tsv": ("qrels", beir_tsv()),
    "BEIR tsv with CRLF": ("qrels", beir_tsv().replace(b"\n", b"\r\n")),
    "BEIR tsv with a byte order mark": ("qrels", b"\xef\xbb\xbf" + beir_tsv()),
    "BEIR tsv in a gz": ("qrels", gzip.compress(beir_tsv())),
    "BEIR tsv without a newline at its end": ("qrels", beir_tsv().rstrip()),
    "BEIR jsonl": ("qrels", beir_jsonl()),
    "BEIR jsonl in a zst": ("qrels", zstd.compress(beir_jsonl())),
    "BEIR jsonl with a blank line at its end": ("qrels", beir_jsonl() + b"\n"),
    "ranx JSON judgments": ("qrels", ranx_json(QRELS_DICT)),
    "ranx JSON judgments, indented": ("qrels", json.dumps(QRELS_DICT, indent=2).encode()),
    "ranx parquet judgments": ("qrels", parquet(QRELS_DICT)),
    "ranx JSON run": ("run", ranx_json(RUN_DICT)),
    "ranx JSON run in a gz": ("run", gzip.compress(ranx_json(RUN_DICT))),
    "ranx JSON run with a byte order mark": ("run", b"\xef\xbb\xbf" + ranx_json(RUN_DICT)),
    "ranx parquet run": ("run", parquet(RUN_DICT)),
}


each_file = pytest.mark.parametrize(("kind", "content"), FILES.values(), ids=FILES.keys())


@each_file
def test_a_file_of_another_tool_scores_as_the_plain_file(
    plain: tuple[Path, Path, Rows], tmp_path: Path, kind: str, content: bytes
) -> None:
    qrels, run, expected = plain
    file = tmp_path / "foreign"
    file.write_bytes(content)
    assert scores(*((qrels, file) if kind == "run" else (file, run))) == expected


@each_file
def test_lint_says_nothing_against_a_good_file_of_another_tool(
    tmp_path: Path, kind: str, content: bytes
) -> None:
    file = tmp_path / "foreign"
    file.write_bytes(content)
    result = call("lint", file)
    assert result.code == 0, result.out


def test_one_record_of_jsonl_is_enough(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b'{"query-id": 1, "corpus-id": "a", "score": 1}\n')
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n")
    assert leadline.evaluate(tmp_path / "q", tmp_path / "r", "RR")["value"].to_list() == [1]


def test_beir_judgments_with_a_fractional_grade_are_refused_with_their_line(folder: Folder) -> None:
    file = folder.write("test.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0.5\n")
    result = folder.evaluate(file, folder.path / "good.run")
    check_refused(result, str(file), "grade", "whole number", "0.5")
    assert f"{file}:3: " in result.err


def test_lenient_skips_faulty_lines_of_beir_judgments_too(folder: Folder) -> None:
    file = folder.write("test.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0.5\n")
    result = folder.evaluate(file, folder.path / "good.run", options=("--skip-bad-lines",))
    assert result.code == 0, result.err
    assert "skipped" in result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"1": {"d1": NaN}}', ("score", "number")),
        (b'{"1": {"d1": "high"}}', ("score", "number", "high")),
        (b'{"1": {"d1": 1.0, "d2": null}}', ("score", "number")),
        (b'{"1": {"d1": [1.0]}}', ("score", "number")),
        (b'{"1": {"d1": 1.0, "d2": true, "d3": {}}}', ("score",)),
        (b'{"1": {"d1": 1.0}', ("JSON",)),
        (b'{"1": {"d1": 1.0, "d1": 2.0}}', ("d1", "twice")),
        (b'{"1": {}}', ("empty",)),
        (b"{}", ("empty",)),
        (b'{"1": 5}', ("column",)),
        (b'{"a": 1}\n{"a": 2}\n', ("column",)),
        (b'{"qid": "1", "docno": "d1", "score": 1}\n{"qid": \n', ()),
        (b"PAR1 but no more", ("cannot be read",)),
    ],
    ids=lambda value: value.decode() if isinstance(value, bytes) else "",
)
def test_a_bad_table_in_a_file_is_refused(
    folder: Folder, content: bytes, says: tuple[str, ...]
) -> None:
    file = folder.write("bad.json", content)
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), str(file), *says)
