"""Targets for tables: runs and qrels of every format, pools, scores, groups, documents, topics."""

import io
import json
import math
from collections.abc import Callable
from pathlib import Path

import polars as pl

from leadline.api.correlate import correlate
from leadline.io.by_content import qrels_from, run_from
from leadline.io.collection import read_groups
from leadline.io.documents import DocumentFiles, _json_slowly
from leadline.io.formats import Reading, format_of, is_trec
from leadline.io.pool_csv import pool_from
from leadline.io.problems import InputError, Notices
from leadline.io.score_table import estimate_table, score_table
from leadline.io.source import Source
from leadline.io.topics import read_topics
from tests.fuzz.fields import run_rows
from tests.fuzz.target import may_refuse, scratch, target
from tests.reference.formats import parse_run


@target("table", "run", "packed", share=8)
def any_run(data: bytes) -> None:
    """A run of whatever format: sound rows, those of the rules where it is TREC's, or a refusal."""
    path = scratch(data)
    with may_refuse(path):
        rows = run_rows(run_from(path, "run", Reading()))
        assert rows
        assert len({row[:2] for row in rows}) == len(rows), "a document twice"
        assert all(topic and doc for topic, doc, _ in rows), "a row without a name"
        assert not any(math.isnan(score) for *_, score in rows)
        source = Source("run", path)
        if is_trec(source) and not data.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
            assert rows == [row[1:] for row in parse_run(data).rows]


@target("table", "qrels", "packed", share=6)
def any_qrels(data: bytes) -> None:
    """Qrels of whatever format: grades from 0 or nothing, a pair once, or a refusal."""
    path = scratch(data)
    with may_refuse(path):
        rows = qrels_from(path, Reading()).frame.rows()
        assert len({row[:2] for row in rows}) == len(rows), "a pair twice"
        assert any(grade is not None for _, _, grade, *_ in rows)
        assert all(grade is None or 0 <= grade <= 32767 for _, _, grade, *_ in rows)
        assert all(topic and doc for topic, doc, *_ in rows), "a row without a name"
        assert all(share is None or 0 < share <= 1 for *_, share, _ in rows)


def _cells(data: bytes) -> list[tuple[str, str, float]]:
    """Rows of a run from arbitrary bytes: names that every format can write."""
    lines = data.decode("utf-8", "replace").replace("\0", "").split("\n")
    found: dict[tuple[str, str], float] = {}
    for number, line in enumerate(lines[:8]):
        words = [word for word in line.split() if word.isprintable() and len(word) < 40]
        if len(words) >= 2 and not words[0].startswith("#"):
            found[words[0], words[1]] = float(len(line) * 7 % 5 - number / 8)
    return [(topic, doc, score) for (topic, doc), score in found.items()]


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


_WRITERS: dict[str, Callable[[list[tuple[str, str, float]]], bytes]] = {
    "TrecRun": lambda rows: "".join(f"{t} Q0 {d} 1 {s} x\n" for t, d, s in rows).encode(),
    "Csv": lambda rows: (
        "qid,docno,score\n" + "".join(f"{_csv_cell(t)},{_csv_cell(d)},{s}\n" for t, d, s in rows)
    ).encode(),
    "Tsv": lambda rows: (
        "qid\tdocno\tscore\n" + "".join(f"{t}\t{d}\t{s}\n" for t, d, s in rows)
    ).encode(),
    "JsonLines": lambda rows: "".join(
        json.dumps({"qid": t, "docno": d, "score": s}) + "\n" for t, d, s in rows
    ).encode(),
    "RanxJson": lambda rows: json.dumps(
        {t: {d: s for u, d, s in rows if u == t} for t, *_ in rows}
    ).encode(),
    "Parquet": lambda rows: _parquet(rows),
}


def _parquet(rows: list[tuple[str, str, float]]) -> bytes:
    out = io.BytesIO()
    pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row").write_parquet(out)
    return out.getvalue()


@target("run", "table", share=1)
def same_in_every_format(data: bytes) -> None:
    """The same rows written in every format are the same run."""
    rows = _cells(data)
    if not rows:
        return
    wanted = sorted(rows)
    for name, write in _WRITERS.items():
        path = scratch(write(rows))
        assert sorted(run_rows(run_from(path, "run", Reading()))) == wanted, name


@target("parquet", share=3)
def parquet(data: bytes) -> None:
    """A damaged Parquet file is refused, whatever is damaged."""
    path = scratch(data)
    for read in (lambda: run_from(path, "run", Reading()), lambda: qrels_from(path, Reading())):
        with may_refuse(path):
            read()


POOL_COLUMNS = ("topic", "doc", "stratum", "inclusion", "drawn")


@target("pool", "table", share=20)
def pool_csv(data: bytes) -> None:
    """A pool: named pairs, each once, probabilities and strata in their ranges."""
    path = scratch(data)
    with may_refuse(path):
        pool = pool_from(path)
        assert len(pool)
        assert not any(pool[name].has_nulls() for name in POOL_COLUMNS)
        assert not pool.select("topic", "doc").is_duplicated().any()
        assert (pool["topic"] != "").all()
        assert (pool["doc"] != "").all()
        assert pool["inclusion"].is_between(0, 1, closed="right").all()
        assert (pool["stratum"] >= 0).all()


TRUTH = {"a": 0.5, "b": 0.4, "c": 0.1}


@target("scores", "table", share=3)
def scores_table(data: bytes) -> None:
    """A table of scores: finite numbers of named runs; what correlate says lies where it must."""
    path = scratch(data)
    with may_refuse(path):
        table = score_table(path)
        assert table.means["value"].is_finite().all()
        assert (table.means["run"] != "").all()
        assert table.means["run"].null_count() == 0
        assert table.means["run"].n_unique() == len(table.means)
    with may_refuse(path):
        assert estimate_table(path)["value"].drop_nulls().is_finite().all()
    with may_refuse():
        for name, value in correlate(TRUTH, path).statistics.items():
            if name.startswith("kendall"):
                assert math.isnan(value) or -1 - 1e-9 <= value <= 1 + 1e-9, (name, value)


@target("groups", "table", share=100)
def groups_tsv(data: bytes) -> None:
    """groups.tsv: a group for every run, or a refusal."""
    path = scratch(data, "groups.tsv")
    with may_refuse(path):
        table = read_groups(path, ["a", "b", "c"], Notices())
        assert table["run"].to_list() == ["a", "b", "c"]
        assert table["group"].null_count() == 0
        assert (table["group"] != "").all()


@target("topics", "documents", share=140)
def topic_texts(data: bytes) -> None:
    """What topics are about: named topics, or a refusal."""
    path = scratch(data)
    with may_refuse(path):
        topics = read_topics(path)
        assert topics
        assert all(topics), "a topic without a name"


@target("documents", "topics", share=30)
def documents(data: bytes) -> None:
    """Documents with an id each; the fast reader of JSON lines agrees with the slow one."""
    path = scratch(data)
    with may_refuse(path):
        tables = list(DocumentFiles(str(path), (path,)).tables())
        found = [row for table in tables for row in table.rows()]
        assert all(row[0] for row in found), "a document without an id"
        source = Source(str(path), path)
        if format_of(source, "documents") is not None and source.head.lstrip()[:1] == b"{":
            assert found == _slowly(path, source)


def _slowly(path: Path, source: Source) -> list[tuple[object, ...]]:
    try:
        return _json_slowly(str(path), b"".join(source.texts()), 1).rows()
    except InputError as error:
        raise AssertionError(f"only the fast reader takes it: {error}") from error
