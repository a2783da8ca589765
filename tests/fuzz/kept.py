"""Targets for what Leadline wrote itself and reads again: backups, benchmarks, batches, parts of
runs.

A refusal must name the file; what is only kept to save time may be passed over instead.
"""

import gzip
import io
import math
import shutil
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import polars as pl

import leadline
from leadline.app.backup import restore_project
from leadline.app.database import Database, sqlite_url
from leadline.io.formats import Reading
from leadline.io.partitioned import PartitionedRun, partitioned_runs
from leadline.io.problems import InputError
from leadline.lab.benchmark.play import BenchmarkCell, is_rows
from leadline.lab.benchmark.tables import draw_table, earlier, refusals
from leadline.simulate import KeptCells
from tests.fuzz.fields import run_rows
from tests.fuzz.target import may_refuse, scratch, target

CELL = cast(BenchmarkCell, SimpleNamespace(
    task="scores", collection="sea", seen=False, measure="AP", draw=0,
    entrant=SimpleNamespace(title="LowerBound", version="1"),
))  # fmt: skip


def _folder(name: str) -> Path:
    """An empty folder of this process."""
    folder = scratch(b"", "here").parent / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


@target("backup", share=2)
def backup(data: bytes) -> None:
    """A backup, packed or as it is: sound entries, or a refusal that leaves none."""
    for packed in (gzip.compress(data, 1, mtime=0), data):
        path, folder = scratch(packed, "backup.gz"), _folder("project")
        database = folder / "judge.sqlite"
        with may_refuse():
            try:
                n = restore_project(folder, path)
                assert n >= 0
                continue
            except InputError as error:
                assert str(error).startswith((str(path), str(folder))), f"names no file: {error}"
        if database.exists():
            held = Database(sqlite_url(database))
            try:
                with held.engine.connect() as connection:
                    found = connection.exec_driver_sql("SELECT count(*) FROM entry").scalar_one()
            finally:
                held.close()
            assert found == 0, "a refusal leaves entries"


@target("cells", share=20)
def kept_cells(data: bytes) -> None:
    """What a benchmark kept: cells that tables can be made of; what is damaged is played again."""
    folder = _folder("benchmark")
    (folder / "cells.jsonl").write_bytes(data)
    with KeptCells(folder, sound=is_rows) as benchmark:
        kept = benchmark.cells
    for key, value in kept.items():
        assert type(key) is str
        cell = cast(Any, SimpleNamespace(**vars(CELL), key=key))
        table = draw_table([cell], {key: value})
        assert len(table) + len(refusals([cell], {key: value})) <= len(value)
    with KeptCells(folder, "k") as paper:
        assert all(type(name) is str for name in paper.cells)


@target("history", "scores", share=20)
def benchmark_history(data: bytes) -> None:
    """A benchmark's history: rows of its columns, or a refusal that names the file."""
    folder = _folder("benchmark")
    path = folder / "history.csv"
    path.write_bytes(data)
    with may_refuse(path):
        assert earlier(folder).columns[-1] == "tier"


@cache
def _sound() -> bytes:
    """Made when it is wanted: polars must not run before a campaign forks."""
    out = io.BytesIO()
    rows = [("9", "a", 2.0), ("9", "z", 1.0)]
    pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row").write_parquet(out)
    return out.getvalue()


@target("parquet", share=2)
def partitioned_run(data: bytes) -> None:
    """A run in parts, one of them damaged: read whole or in portions it is the same, or refused."""
    for where in ("topic=1", "run=x"):
        folder = _folder("parts")
        (folder / where).mkdir()
        (folder / where / "1.parquet").write_bytes(data)
        (folder / where / "2.parquet").write_bytes(_sound())
        with may_refuse(folder):
            for run in partitioned_runs(str(folder)).values():
                _same_in_portions(run, folder)


def _same_in_portions(run: PartitionedRun, folder: Path) -> None:
    whole = None
    with may_refuse(folder):
        whole = run_rows(run.rows(Reading()))
        assert all(topic and doc and not math.isnan(score) for topic, doc, score in whole)
    if whole is not None:
        parts = [row for frame in run.frames(1) for row in frame.rows()]
        assert sorted(parts) == sorted(whole)


RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"d": 2.0, "e": 1.0}},
    "y": {"1": {"c": 3.0, "a": 2.0}, "2": {"e": 2.0, "f": 1.0}},
}
GRADES = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 0, "e": 1, "f": 0}}


@target("batch", "pool", share=2)
def drawn_before(data: bytes) -> None:
    """A pool to draw the next batch after: a pool that holds it, or a refusal."""
    path = scratch(data, "previous.csv")
    with may_refuse(kinds=ValueError):
        made = leadline.pool(GRADES, RUNS, "WeightedSample(n=3, batches=2)", previous=path)
        assert made.frame["inclusion"].is_between(0, 1).all()
        before = pl.read_csv(path, infer_schema=False)
        held = set(before.filter(pl.col("drawn") == "true").select("topic", "doc").rows())
        found = set(made.frame.select("topic", "doc").rows())
        assert {pair for pair in held if pair[1] in GRADES.get(pair[0], ())} <= found
