"""Parquet files."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import polars as pl

from leadline.files.problems import InputError
from leadline.files.source import Source
from leadline.formats.format import TableFormat, formats, is_trec


@formats.register
@dataclass(frozen=True)
class Parquet(TableFormat):
    """Runs or qrels as a Parquet table with the usual names of columns.

    Formula: columns qid, docno, score
    """

    def looks_like(self, source: Source) -> bool:
        return source.head.startswith(b"PAR1") and not is_trec(source)

    def table(self, source: Source) -> pl.DataFrame:
        with parquet_faults(source.name):
            return pl.read_parquet(io.BytesIO(source.data))


@contextmanager
def parquet_faults(name: str) -> Iterator[None]:
    """Whatever polars cannot read as an InputError with the file's name."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error) or "it is damaged").splitlines()[0]
        raise InputError.of(name, "format", f"cannot be read: {reason}") from None
