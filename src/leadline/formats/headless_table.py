"""Runs and judgments of three to five columns without a header: rank or tag may be missing."""

from collections import Counter
from dataclasses import dataclass

import polars as pl

from leadline.files.faults import is_number, numbered_lines, whole_number
from leadline.files.problems import InputError, Problem
from leadline.files.source import Source, check_text
from leadline.formats.csv_table import read_table
from leadline.formats.format import TableFormat, formats, is_trec
from leadline.formats.normalised_qrels import normalise_qrels
from leadline.formats.qrels import Qrels
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows
from leadline.formats.table_columns import qrels_columns

Layout = tuple[str, ...]

RUN_LAYOUTS: tuple[Layout, ...] = (
    ("topic", "doc", "score"),
    ("topic", "doc", "rank", "score"),
    ("topic", "Q0", "doc", "score"),
    ("topic", "Q0", "doc", "rank", "score"),
    ("topic", "doc", "rank", "score", "tag"),
)
"""What columns may be, by their number and by what stands in them."""

RANKED: Layout = ("topic", "doc", "rank")
"""How MS MARCO writes runs."""

JUDGED: Layout = ("topic", "doc", "grade")
"""Judgments without the second field of TREC's."""


@formats.register
@dataclass(frozen=True)
class HeadlessTable(TableFormat):
    """Runs without header, and without rank or tag: csv, tabs or white space, told by content.

    Formula: topic doc score, or topic doc rank score, or topic Q0 doc rank score
    """

    def looks_like(self, source: Source) -> bool:
        return not is_trec(source) and _layout(source) is not None

    def table(self, source: Source) -> pl.DataFrame:
        layout = _layout(source)
        if layout is None:
            raise InputError.of(source.name, "columns", "has no columns that are known")
        return _read(source, layout)

    def read_run(self, source: Source, reading: Reading) -> Rows:
        layout = _layout(source) or ()
        reading.notices.add(source.name, "notice", "headless", _told(layout))
        return super().read_run(source, reading)

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        layout = _layout(source) or ()
        if len(layout) != len(JUDGED):
            message = f"{_told(layout)}, as a run. Give the qrels first, then the runs"
            raise InputError.of(source.name, "not-qrels", message)
        reading.notices.add(source.name, "notice", "headless", _told(JUDGED))
        columns = qrels_columns(_read(source, JUDGED), source.name, reading)
        return normalise_qrels(columns, source.name, reading)


def _read(source: Source, layout: Layout) -> pl.DataFrame:
    if (separator := _separator(source)) is not None:
        return read_table(source, separator, '"' if separator == "," else None, layout)
    return _spaced(source, layout)


def _told(layout: Layout) -> str:
    return f"has {len(layout)} columns and no header: read as {' '.join(layout)}"


def _separator(source: Source) -> str | None:
    """What stands between fields; None for white space."""
    first = source.head.lstrip().partition(b"\n")[0]
    return next((each for each in (",", "\t") if 2 <= first.count(each.encode()) <= 4), None)


def _layout(source: Source) -> Layout | None:
    """What the columns are, if the first line and most after it agree; None if they do not."""
    separator = _separator(source)
    lines = source.head.decode("utf-8", "replace").split("\n")
    # The last may be cut.
    rows = [line.split(separator) for line in lines[: -1 if len(lines) > 1 else None]]
    rows = [[cell.strip() for cell in row] for row in rows if any(row)]
    widths = Counter(map(len, rows))
    width, n = max(widths.items(), key=lambda item: item[1], default=(0, 0))
    if 2 * n <= len(rows):
        return None
    first, rows = rows[0], [row for row in rows if len(row) == width]
    for layout in RUN_LAYOUTS:
        fitting = [_fits(row, layout) for row in (first, *rows)]
        if fitting[0] and 2 * sum(fitting) > len(fitting):
            return RANKED if width == 3 and _ranked(rows) else layout
    return None


def _fits(row: list[str], layout: Layout) -> bool:
    if len(row) != len(layout):
        return False
    for cell, what in zip(row, layout, strict=True):
        fine = {
            "score": is_number(cell),
            "rank": whole_number(cell) is not None,
            "Q0": cell.lower() == "q0",
        }
        if not fine.get(what, cell != ""):
            return False
    # Four columns of which the last is a whole number are judgments.
    return layout != RUN_LAYOUTS[2] or whole_number(row[-1]) is None


def _ranked(rows: list[list[str]]) -> bool:
    """Whether the third column counts 1, 2, 3 for every topic, which no score does."""
    last: dict[str, int] = {}
    for topic, _, number in rows:
        if whole_number(number) != last.get(topic, 0) + 1:
            return False
        last[topic] = last.get(topic, 0) + 1
    return max(last.values(), default=0) > 1


def _spaced(source: Source, layout: Layout) -> pl.DataFrame:
    """The columns of lines whose fields stand between white space, and the number of each line."""
    check_text(source)
    lines = list(numbered_lines(source))
    told = f"expected {len(layout)} fields as in most lines ({' '.join(layout)}), found"
    ragged = [
        Problem(source.name, number, "error", "fields", f"{told} {len(fields)}")
        for number, fields in lines
        if len(fields) != len(layout)
    ]
    if ragged:
        raise InputError(ragged)
    columns = {
        name: pl.Series([fields[at] for _, fields in lines], dtype=pl.String)
        for at, name in enumerate(layout)
    }
    return pl.DataFrame({**columns, "line": pl.Series([n for n, _ in lines], dtype=pl.Int64)})
