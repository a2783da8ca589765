"""Runs in many Parquet files: layouts, whole topics whatever the order of rows, faults by file."""

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.formats import Reading
from leadline.io.partitioned import (
    PartFile,
    PartitionedRun,
    columns_of,
    n_rows_of,
    partitioned_runs,
    whole_topics,
)
from leadline.io.problems import InputError

Row = tuple[str, str, float]


def write(path: Path, rows: list[Row], **more: object) -> PartFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
    frame.with_columns(**{name: pl.lit(value) for name, value in more.items()}).write_parquet(path)
    return PartFile(str(path))


def one(path: Path, rows: list[Row]) -> PartitionedRun:
    return PartitionedRun("run", (write(path, rows),))


topics = st.lists(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), min_size=1, max_size=5
)


@given(topics, st.integers(1, 7))
def test_each_topic_comes_whole_in_one_frame(files: list[list[str]], rows: int) -> None:
    with TemporaryDirectory() as folder:
        written, parts = [], []
        for number, names in enumerate(files):
            lines = [(name, f"d{number}-{at}", float(-at)) for at, name in enumerate(names)]
            written += lines
            parts.append(write(Path(folder) / f"{number}.parquet", lines))
        frames = list(PartitionedRun("run", tuple(parts)).frames(rows))
    assert sorted(row for frame in frames for row in frame.rows()) == sorted(written)
    homes = [set(frame["topic"]) for frame in frames]
    assert sum(map(len, homes)) == len({topic for topic, _, _ in written})


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 6))
def test_what_stands_in_order_is_not_moved(lengths: list[int], size: int) -> None:
    """Frames hold about so many rows, and the last topic of a chunk waits for the next."""
    rows = [f"t{topic}" for topic, length in enumerate(lengths) for _ in range(length)]
    chunks = [pl.DataFrame({"topic": rows[at : at + size]}) for at in range(0, len(rows), size)]
    frames = [frame["topic"].to_list() for frame in whole_topics(iter(chunks))]
    assert [row for frame in frames for row in frame] == rows
    assert all(before[-1] != after[0] for before, after in pairwise(frames))
    assert all(frame for frame in frames)
    assert max(map(len, frames)) < size + 2 * max(lengths)


def test_folders_may_name_run_and_topic(tmp_path: Path) -> None:
    for run in ("bm25", "a b"):
        for topic in ("1", "2"):
            path = tmp_path / f"run={run.replace(' ', '%20')}" / f"query_id={topic}" / "x.parquet"
            path.parent.mkdir(parents=True)
            pl.DataFrame({"docno": ["d"], "score": [1.0]}).write_parquet(path)
    runs = partitioned_runs(str(tmp_path))
    assert sorted(runs) == ["a b", "bm25"]
    (frame,) = [pl.concat(list(runs["a b"].frames()))]
    assert frame.rows() == [("1", "d", 1.0), ("2", "d", 1.0)]
    assert runs["a b"].rows(Reading()).topic.to_list() == ["1", "2"]
    assert runs["a b"].size > 0


def test_a_column_may_name_the_run(tmp_path: Path) -> None:
    for topic in ("1", "2"):
        for run in ("one", "two"):
            row = (topic, f"d-{run}", 1.0)
            write(tmp_path / f"topic={topic}" / f"{run}.parquet", [row], run=run)
    runs = partitioned_runs(str(tmp_path))
    assert list(runs) == ["one", "two"]
    assert pl.concat(list(runs["two"].frames()))["doc"].to_list() == ["d-two", "d-two"]


def test_without_either_it_is_one_run_named_as_the_folder(tmp_path: Path) -> None:
    write(tmp_path / "mine" / "topic=1" / "x.parquet", [("1", "d", 1.0)])
    write(tmp_path / "mine" / "topic=1" / "_metadata.parquet", [("1", "e", 1.0)])
    runs = partitioned_runs(str(tmp_path / "mine"))
    assert [(name, len(run.files)) for name, run in runs.items()] == [("mine", 1)]


def test_a_rank_counts_downwards(tmp_path: Path) -> None:
    pl.DataFrame({"topic": [1, 1], "doc": [7, 8], "rank": [1, 2]}).write_parquet(
        tmp_path / "x.parquet"
    )
    (frame,) = PartitionedRun("run", (PartFile(str(tmp_path / "x.parquet")),)).frames()
    assert frame.rows() == [("1", "7", -1.0), ("1", "8", -2.0)]


def test_partitions_without_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "run=a").mkdir()
    with pytest.raises(InputError, match="has partitions, but no Parquet files"):
        partitioned_runs(str(tmp_path))


def test_a_fault_is_told_by_file_and_row(tmp_path: Path) -> None:
    write(tmp_path / "run=a" / "1.parquet", [("1", "d", 1.0)])
    write(tmp_path / "run=a" / "2.parquet", [("1", "e", 1.0), ("2", "", 1.0)])
    with pytest.raises(InputError, match=r"2\.parquet: row 2: the doc is missing"):
        partitioned_runs(str(tmp_path))["a"].rows(Reading())


def test_a_document_in_two_files_is_told(tmp_path: Path) -> None:
    write(tmp_path / "run=a" / "1.parquet", [("1", "d", 1.0)])
    write(tmp_path / "run=a" / "2.parquet", [("1", "d", 2.0)])
    with pytest.raises(InputError, match=r"\(run a\): row 2: listed twice for its topic"):
        partitioned_runs(str(tmp_path))["a"].rows(Reading())


def test_an_unreadable_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and nothing more")
    file = PartFile(str(tmp_path / "x.parquet"))
    for ask in (n_rows_of, columns_of):
        with pytest.raises(InputError, match=r"x\.parquet: cannot be read"):
            ask(file)


def test_an_empty_run_is_told(tmp_path: Path) -> None:
    empty = pl.DataFrame(schema={"topic": pl.String, "doc": pl.String, "score": pl.Float64})
    empty.write_parquet(tmp_path / "x.parquet")
    run = PartitionedRun("run", (PartFile(str(tmp_path / "x.parquet")),))
    assert list(run.frames()) == []
    with pytest.raises(InputError, match="run: is empty"):
        run.rows(Reading())
