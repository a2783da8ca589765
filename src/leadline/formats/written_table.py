"""Tables as verbs write them: csv, tab-separated, JSON or Parquet, told by their content."""

import os

import polars as pl

from leadline.files.source import read_source
from leadline.formats.csv_table import read_table
from leadline.formats.json_table import JsonLines
from leadline.formats.parquet import Parquet


def written_table(path: str | os.PathLike[str]) -> tuple[str, pl.DataFrame]:
    """The name of a file that some verb's -o wrote, and its table."""
    source = read_source(path)
    for kind in (Parquet(), JsonLines()):
        if kind.looks_like(source):
            return source.name, kind.table(source)
    separator = "\t" if b"\t" in source.head.partition(b"\n")[0] else ","
    return source.name, read_table(source, separator)
