"""Tables with a header: csv, and tab-separated."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from leadline.files.faults import is_number
from leadline.files.problems import InputError, Problem
from leadline.files.source import Source, check_text
from leadline.formats.format import TableFormat, first_fields, formats, is_trec
from leadline.formats.table_columns import NAMES


def read_table(
    source: Source, separator: str, quote: str | None = '"', names: Sequence[str] | None = None
) -> pl.DataFrame:
    """The columns that the first line names, all of them text, and the line of each row.

    Where names are given there is no such line.

    An InputError names every row that has too many or too few cells.
    """
    check_text(source)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    reader = csv.reader(
        _lines(source), delimiter=separator, quotechar=quote, quoting=quoting, strict=True
    )
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        message = f"cannot be read: {error}"
        raise InputError.of(source.name, "format", message, reader.line_num) from None
    if not rows:
        raise InputError.of(source.name, "empty", "is empty but for separators")
    first, header = rows[0]
    if names is None:
        names, rows = [name.strip() for name in header], rows[1:]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        message = f"has two columns named {twice!r}. Rename one"
        raise InputError.of(source.name, "columns", message, first)
    told = f"expected {len(names)} columns as in the first line, found"
    ragged = [
        Problem(source.name, line, "error", "columns", f"{told} {len(row)}")
        for line, row in rows
        if len(row) != len(names)
    ]
    if ragged:
        raise InputError(ragged)
    cells = zip(*(row for _, row in rows), strict=True) if rows else ([] for _ in names)
    columns = {
        name: pl.Series(cell, dtype=pl.String) for name, cell in zip(names, cells, strict=True)
    }
    return pl.DataFrame({**columns, "line": pl.Series([line for line, _ in rows], dtype=pl.Int64)})


def _lines(source: Source) -> Iterator[str]:
    number = 1
    for text in source.texts():
        for line in text.split(b"\n")[: -1 if text.endswith(b"\n") else None]:
            try:
                yield line.decode() + "\n"
            except UnicodeDecodeError:
                message = "is not UTF-8 text. Convert the file to UTF-8"
                raise InputError.of(source.name, "encoding", message, number) from None
            number += 1


class HeadedTable(TableFormat):
    """What csv and tab-separated tables have in common: a first line that names columns."""

    separator: ClassVar[str]
    quote: ClassVar[str | None]

    def looks_like(self, source: Source) -> bool:
        """A column for the topic and one for the doc are named, and there is no number.

        Of a table that is not of four to six fields, one of the two tells it.
        """
        if is_trec(source):
            return False
        header = source.head.lstrip().partition(b"\n")[0].decode("utf-8", "replace").strip()
        cells = header.replace(self.quote or "\0", "").split(self.separator)
        names = {cell.strip().lower() for cell in cells}
        known = sum(not names.isdisjoint(NAMES[what]) for what in ("topic", "doc"))
        if len(cells) < 2 or any(map(is_number, names)):
            return False
        return known == 2 or (known == 1 and len(first_fields(source)) not in (4, 5, 6))

    def table(self, source: Source) -> pl.DataFrame:
        return read_table(source, self.separator, self.quote)


@formats.register
@dataclass(frozen=True)
class Csv(HeadedTable):
    """Runs or qrels, comma-separated, with a header that names the columns.

    Formula: qid,docno,score
    """

    separator = ","
    quote = '"'


@formats.register
@dataclass(frozen=True)
class Tsv(HeadedTable):
    """Runs or qrels, tab-separated without quotation marks, with a header that names the columns.

    Formula: qid TAB docno TAB score
    """

    separator = "\t"
    quote = None
