"""Runs in many Parquet files, read some whole topics at a time, however large they are."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import polars as pl

from leadline.io.formats import Reading
from leadline.io.problems import InputError
from leadline.io.rows import ROWS, InParts, Rows
from leadline.io.source import files_below, is_url, open_url, url_size
from leadline.io.tabular import (
    NAMES,
    as_names,
    find_column,
    parquet_faults,
    run_columns,
    run_scores,
)

_LENGTH = 8
"""Bytes in which the length of a portion is written before it."""


class TopicBuckets:
    """Files of which each holds all rows of some topics, whichever; they go with the folder.

    Which topics share a file makes no difference to anybody: each list is scored by itself.
    """

    def __init__(self, n_buckets: int) -> None:
        self.n_buckets = n_buckets
        self.folder = TemporaryDirectory(prefix="leadline-")

    def __enter__(self) -> TopicBuckets:
        return self

    def __exit__(self, *what: object) -> None:
        self.folder.cleanup()

    def _path(self, bucket: int) -> Path:
        return Path(self.folder.name) / str(bucket)

    def add(self, frame: pl.DataFrame) -> None:
        """Rows with a column topic."""
        numbered = frame.with_columns(bucket=pl.col("topic").hash(0) % self.n_buckets)
        parts = numbered.partition_by("bucket", as_dict=True, include_key=False)
        for (bucket,), part in parts.items():
            packed = io.BytesIO()
            part.write_ipc_stream(packed, compression="lz4")
            data = packed.getbuffer()
            with self._path(bucket).open("ab") as file:
                file.write(len(data).to_bytes(_LENGTH, "little"))
                file.write(data)

    def frames(self) -> Iterator[pl.DataFrame]:
        """All rows, those of a file together, a topic's in the order in which they came."""
        for bucket in range(self.n_buckets):
            if self._path(bucket).exists():
                yield pl.concat(list(self._portions(bucket)))
                self._path(bucket).unlink()

    def _portions(self, bucket: int) -> Iterator[pl.DataFrame]:
        with self._path(bucket).open("rb") as file:
            while length := file.read(_LENGTH):
                yield pl.read_ipc_stream(io.BytesIO(file.read(int.from_bytes(length, "little"))))


SUFFIXES = (".parquet", ".parq", ".pq")
_ADDED = 4
"""Times as many rows are brought together at once: to put them into files takes less room than to
score them, and the fewer portions there are, the less is lost on each.
"""


@dataclass(frozen=True)
class PartFile:
    """A Parquet file with the topic that its folder names, if one does."""

    path: str
    topic: str | None = None


@dataclass(frozen=True)
class PartitionedRun(InParts):
    """The rows of one run in some files; of those with a column run, the rows of this one.

    `name` is what messages call it.
    """

    name: str
    files: tuple[PartFile, ...]
    run: str | None = None

    @property
    def size(self) -> int:
        return 4 * sum(map(_size, self.files))

    def frames(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """Columns topic, doc and run_score, each topic whole in one frame of about so many rows.

        If rows of a topic are scattered they are brought together on disk, in the folder for
        temporary files.
        """
        if not self._scattered(rows):
            yield from whole_topics(self._chunks(rows))
            return
        n_rows = sum(map(n_rows_of, self.files))
        with TopicBuckets(max(1, -(-n_rows // rows))) as buckets:
            for chunk in _gathered(self._chunks(rows), _ADDED * rows):
                buckets.add(chunk)
            yield from buckets.frames()

    def rows(self, reading: Reading) -> Rows:
        parts = []
        for file in self.files:
            frame = self._only(_read(file, 0, None, None))
            if len(frame):
                parts.append(run_columns(frame, file.path, reading))
        if not parts:
            raise InputError.of(self.name, "empty", "is empty")
        # Once more, because two files may hold the same document.
        return Rows.of_frame(run_columns(pl.concat(parts), self.name, reading))

    def _chunks(self, rows: int) -> Iterator[pl.DataFrame]:
        for file in self.files:
            for begin in range(0, n_rows_of(file), rows):
                frame = self._only(_read(file, begin, rows, self._columns(file)))
                if not len(frame):
                    continue
                yield pl.DataFrame(
                    {
                        "topic": as_names(frame, "topic", file.path),
                        "doc": as_names(frame, "doc", file.path),
                        "run_score": run_scores(frame, file.path)[0],
                    }
                )

    def _columns(self, file: PartFile) -> list[str]:
        columns = columns_of(file)
        wanted = [
            find_column(columns, NAMES["doc"], "doc", file.path),
            find_column(columns, ("value", *NAMES["run_score"]), "score", file.path),
        ]
        if file.topic is None:
            wanted.append(find_column(columns, NAMES["topic"], "topic", file.path))
        return wanted if self.run is None else [*wanted, "run"]

    def _only(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self.run is None:
            return frame
        return frame.filter(pl.col("run").cast(pl.String) == self.run)

    def _scattered(self, rows: int) -> bool:
        """Whether the rows of some topic stand in two places."""
        seen: set[str | None] = set()
        last: str | None = None
        for file in self.files:
            for topics in self._topics(file, rows):
                new = topics.filter(topics.ne_missing(topics.shift()).fill_null(True))
                names = new.to_list()
                if len(new) and names[0] == last and seen:
                    names = names[1:]
                if len(set(names)) < len(names) or not seen.isdisjoint(names):
                    return True
                seen.update(names)
                last = topics[-1] if len(topics) else last
        return False

    def _topics(self, file: PartFile, rows: int) -> Iterator[pl.Series]:
        """The topic of every row, some at a time."""
        if file.topic is not None:
            yield pl.Series([file.topic])
            return
        column = find_column(columns_of(file), NAMES["topic"], "topic", file.path)
        wanted = [column] if self.run is None else [column, "run"]
        for begin in range(0, n_rows_of(file), rows):
            frame = self._only(_read(file, begin, rows, wanted))
            yield as_names(frame, "topic", file.path)


def _gathered(chunks: Iterator[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The same rows in portions of at most so many, unless a chunk has more."""
    waiting: list[pl.DataFrame] = []
    for chunk in chunks:
        if waiting and sum(map(len, waiting)) + len(chunk) > rows:
            yield pl.concat(waiting)
            waiting = []
        waiting.append(chunk)
    if waiting:
        yield pl.concat(waiting)


def whole_topics(chunks: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in about the same portions, cut where a topic ends."""
    waiting: list[pl.DataFrame] = []
    for chunk in chunks:
        topic = chunk["topic"]
        others = topic.ne_missing(topic[-1]).arg_true()
        cut = int(others[-1]) + 1 if len(others) else 0
        goes_on = not waiting or waiting[-1]["topic"][-1] == topic[0]
        if cut or not goes_on:
            ready = pl.concat([*waiting, chunk[:cut]])
            if len(ready):
                yield ready
            waiting = []
        waiting.append(chunk[cut:])
    if waiting:
        yield pl.concat(waiting)


def partitioned_runs(folder: str) -> dict[str, PartitionedRun]:
    """The runs of a folder whose own folders are named KEY=VALUE, by name.

    KEY is run, or what a topic may be called. Where no folder names the run, a column `run` does,
    or else all rows are of one run, named as the folder is.
    """
    folder = folder.rstrip("/") if is_url(folder) else Path(folder).as_posix()
    by_run: dict[str | None, list[PartFile]] = {}
    for path in _files_below(folder):
        *parents, name = path.removeprefix(folder).strip("/").split("/")
        if not name.endswith(SUFFIXES) or name.startswith((".", "_")):
            continue
        keys: dict[str, str] = {}
        for part in parents:
            key, _, value = part.partition("=")
            keys["topic" if key.lower() in NAMES["topic"] else key.lower()] = unquote(value)
        by_run.setdefault(keys.get("run"), []).append(PartFile(path, keys.get("topic")))
    if not by_run:
        raise InputError.of(folder, "no-runs", "has partitions, but no Parquet files in them")
    runs: dict[str, PartitionedRun] = {}
    for run, files in by_run.items():
        if run is not None:
            runs[run] = PartitionedRun(f"{folder} (run {run})", tuple(files))
        else:
            runs |= _by_column(folder, tuple(files))
    return runs


def _files_below(folder: str) -> list[str]:
    if is_url(folder):
        return files_below(folder)
    return [each.as_posix() for each in sorted(Path(folder).rglob("*")) if each.is_file()]


def _by_column(folder: str, files: tuple[PartFile, ...]) -> dict[str, PartitionedRun]:
    whole = PartitionedRun(folder, files)
    if "run" not in columns_of(files[0]):
        return {folder.rsplit("/", 1)[-1]: whole}
    names: dict[str, None] = {}
    for file in files:
        column = _read(file, 0, None, ["run"])["run"].cast(pl.String)
        names |= dict.fromkeys(column.unique(maintain_order=True).drop_nulls().to_list())
    return {name: replace(whole, name=f"{folder} (run {name})", run=name) for name in sorted(names)}


def _read(file: PartFile, begin: int, rows: int | None, columns: list[str] | None) -> pl.DataFrame:
    """Some rows of a file, with the topic that its folder names."""
    with parquet_faults(file.path):
        lazy = _lazy(file) if columns is None else _lazy(file).select(columns)
        frame = lazy.slice(begin, rows).collect()
    return frame if file.topic is None else frame.with_columns(topic=pl.lit(file.topic))


def n_rows_of(file: PartFile) -> int:
    """How many rows a file has, as its end tells."""
    with parquet_faults(file.path):
        return int(_lazy(file).select(pl.len()).collect().item())


def columns_of(file: PartFile) -> list[str]:
    """The names of its columns."""
    with parquet_faults(file.path):
        return _lazy(file).collect_schema().names()


def _lazy(file: PartFile) -> pl.LazyFrame:
    if is_url(file.path):
        return _fetched(file.path).lazy()
    return pl.scan_parquet(file.path, hive_partitioning=False, glob=False)


@lru_cache(maxsize=1)
def _fetched(url: str) -> pl.DataFrame:
    """A file from elsewhere, kept until another is wanted: its rows are asked for in portions."""
    with open_url(url) as file:
        return pl.read_parquet(io.BytesIO(file.read()))


def _size(file: PartFile) -> int:
    return url_size(file.path) if is_url(file.path) else Path(file.path).stat().st_size
