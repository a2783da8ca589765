"""Runs and judgments are the same whatever they come as."""

from collections import namedtuple
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import Qrel, ScoredDoc

import leadline
from leadline.io.by_content import is_one_run, qrels_from, run_from
from leadline.io.formats import Reading
from leadline.io.inputs import runs_from
from leadline.io.problems import InputError

RUN = [("1", "b", 2.5), ("1", "a", 1.0), ("2", "a", 7.0)]
QRELS = [("1", "a", 1), ("2", "b", 0)]
Line = namedtuple("Line", ["qid", "docno", "score"])
KEYS = ("query_id", "doc_id", "score")


def columns(rows: list[tuple[str, str, Any]], value: str) -> dict[str, list[Any]]:
    return dict(zip(("qid", "docno", value), map(list, zip(*rows, strict=True)), strict=True))


SHAPES: dict[str, Callable[[list[Any]], Any]] = {
    "tuples": lambda rows: rows,
    "lists": lambda rows: [list(row) for row in rows],
    "named tuples": lambda rows: [Line(*row) for row in rows],
    "ir_measures": lambda rows: [
        (ScoredDoc if isinstance(row[2], float) else Qrel)(*row) for row in rows
    ],
    "dicts": lambda rows: [dict(zip(KEYS, row, strict=True)) for row in rows],
    "nested": lambda rows: {
        topic: {doc: value for at, doc, value in rows if at == topic} for topic in ("1", "2")
    },
    "pairs": lambda rows: {
        topic: [(doc, value) for at, doc, value in rows if at == topic] for topic in ("1", "2")
    },
    "pandas": lambda rows: pd.DataFrame(columns(rows, "score")),
    "polars": lambda rows: pl.DataFrame(columns(rows, "score")),
    "lazy": lambda rows: pl.LazyFrame(columns(rows, "score")),
    "Arrow": lambda rows: pa.table(columns(rows, "score")),
}
shapes = pytest.mark.parametrize("make", SHAPES.values(), ids=SHAPES.keys())


@shapes
def test_a_run_of_any_shape_is_one_run(make: Callable[[list[Any]], Any]) -> None:
    what = make(RUN)
    (named,) = runs_from(what)
    rows = named.rows(Reading())
    topics = rows.topic.gather(rows.stretch_of(np.arange(len(rows)))).to_list()
    assert list(zip(topics, rows.doc.to_list(), rows.run_score.tolist(), strict=True)) == RUN


@shapes
def test_judgments_of_any_shape_are_the_same(make: Callable[[list[Any]], Any]) -> None:
    frame = qrels_from(make(QRELS), Reading()).frame
    assert frame.select("topic", "doc", "grade").rows() == QRELS


def test_a_list_of_docs_is_a_ranking() -> None:
    run = {"1": ["b", "a"], "2": ["a"]}
    assert leadline.evaluate({"1": {"a": 1}, "2": {"a": 1}}, run, "RR")["value"].to_list() == [0.75]
    several = runs_from({"x": run, "y": run})
    assert [named.name for named in several] == ["x", "y"]


def test_a_list_of_docs_is_no_judgment() -> None:
    with pytest.raises(InputError, match="no column for the grade"):
        qrels_from({"1": ["a"]}, Reading())


@pytest.mark.parametrize(
    "what",
    [[{"1": {"a": 1.0}}], ["a.run", "b.run"], {"x": [("1", "a", 1.0)]}, {"x": pl.DataFrame()}, []],
)
def test_several_runs_are_not_one(what: Any) -> None:
    assert not is_one_run(what)


@pytest.mark.parametrize("what", [[("1", "a")], [("1", "a", 1.0), ("1",)], 5])
def test_what_is_no_table_is_refused(what: Any) -> None:
    with pytest.raises(InputError):
        run_from(what, "run", Reading()) if what != 5 else qrels_from(what, Reading())


FILES = {
    "a tag that is a word of headers": b"1\tQ0\tb\t1\t2.5\tquery\n",
    "a tag with a comma": b"1 Q0 b 1 2.5 bm25,query\n",
    "names that are words of headers": b"1\tQ0\tb\t1\t2.5\tx\nquery\tQ0\tdoc\t1\t5\tx\n",
    "csv": b"QID,DocNo,Score\n1,b,2.5\n",
    "csv in quotation marks": b'"qid","docno","score"\r\n"1","b","2.5"\r\n',
    "tsv": b"\xef\xbb\xbfqid\tdocno\tscore\n\n1\tb\t2.5",
    "JSON lines": b'{"qid": 1, "docno": "b", "score": 2.5}\n',
    "a JSON list": b'[{"qid": 1, "docno": "b", "score": 2.5}]',
    "ranx": b'{"1": {"b": 2.5}}',
    "a ranking in JSON": b'{"1": ["b"]}',
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
def test_a_file_is_told_by_its_content(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    rows = run_from(tmp_path / "x", "x", Reading())
    assert (rows.topic[0], rows.doc[0]) == ("1", "b")
    assert rows.run_score[0] in (2.5, -1)


BAD = {
    "a row too short": (b"qid,docno,score\n1,b,2\n\n1,a\n", ":4: expected 3 columns"),
    "two columns of one name": (b"qid,docno,score,qid\n1,b,2,1\n", ":1: has two columns"),
    "a quotation mark that stays open": (b'qid,docno,score\n1,"b,2\n', ":2: cannot be read"),
    "Latin-1": (b"qid,docno,score\n1,b,2\n1,\xe9,1\n", ":3: is not UTF-8"),
    "no column for the doc": (b"qid,score\n1,2\n", "no column for the doc"),
    "deep JSON": (b'{"a":' * 100_000, "nested too deep"),
    "deep JSON on a line": (b'{"qid": 1, "docno": "a", "x":' + b"[" * 100_000, "nested too deep"),
    "a number of many digits": (b'{"1": {"a": ' + b"9" * 5000 + b"}}", "cannot be read"),
    "half a line of JSON": (b'{"qid": 1, "docno": "a", "score": 1}\n{"qid": 2\n', ":2: is no JSON"),
    "a list on a line": (b'{"qid": 1, "docno": "a", "score": 1}\n[1]\n', ":2: expected an object"),
    "a key twice": (b'{"1": {"a": 1, "a": 2}}', "'a' twice"),
    "JSON in Latin-1": (b'{"1":\n {"\xe9": 1}}', ":2: is not UTF-8"),
    "every byte": (bytes(range(256)), ":1: holds a NUL byte"),
    "half a Parquet": (b"PAR1 and no more", "cannot be read"),
}


@pytest.mark.parametrize(("content", "told"), BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("reader", ["run", "qrels"])
def test_a_bad_file_is_refused_with_its_line(
    tmp_path: Path, content: bytes, told: str, reader: str
) -> None:
    (tmp_path / "x").write_bytes(content)
    read = partial(run_from, name="x") if reader == "run" else qrels_from
    with pytest.raises(InputError, match=told):
        read(tmp_path / "x", reading=Reading())


@pytest.mark.parametrize(
    ("docs", "told"),
    [
        ([b"\xff"], "bytes that are not UTF-8"),
        ([["a"]], "found List"),
        ([None], "the doc is missing"),
    ],
)
def test_docnos_of_a_parquet_file_must_be_text(tmp_path: Path, docs: list[Any], told: str) -> None:
    pl.DataFrame({"qid": ["1"], "docno": docs, "score": [1.0]}).write_parquet(tmp_path / "x")
    with pytest.raises(InputError, match=told):
        run_from(tmp_path / "x", "x", Reading())
    pl.DataFrame({"qid": ["1"], "docno": [b"b"], "score": [1.0]}).write_parquet(tmp_path / "x")
    assert run_from(tmp_path / "x", "x", Reading()).doc.to_list() == ["b"]


def test_topics_that_pandas_made_floats_stay_whole() -> None:
    frame = pd.DataFrame({"qid": [1, None], "docno": ["a", "b"], "score": [1, 2]})
    rows = run_from(frame, "run", Reading(skip_bad_lines=True))
    assert rows.topic.to_list() == ["1"]
