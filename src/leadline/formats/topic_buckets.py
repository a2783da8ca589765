"""Rows brought together by topic on disk, for runs whose topics are scattered."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import polars as pl

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
