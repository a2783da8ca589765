"""Tables for the terminal: runs by score, the interval drawn as a small bar."""

from collections.abc import Sequence

import polars as pl
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

WIDTH = 24
NAMES = ("run", "run_a", "run_b", "topic", "doc", "measure", "file", "group")
"""Columns whose words are never broken: a line may be longer than the terminal instead."""


def interval_bar(lower: float, value: float, upper: float, low: float, high: float) -> Text:
    """The interval on a line from low to high: solid up to the value, light up to the upper end.

    >>> interval_bar(0.25, 0.25, 0.75, 0.0, 1.0).plain
    '      ┃────────────     '
    """
    span = high - low or 1.0

    def cell(x: float) -> int:
        return min(WIDTH - 1, max(0, int((x - low) / span * WIDTH)))

    first, mark, last = cell(lower), cell(value), cell(upper)
    text = Text(" " * first)
    text.append("─" * (mark - first), style="dim")
    text.append("┃", style="bold")
    text.append("─" * (last - mark), style="cyan")
    text.append(" " * (WIDTH - 1 - last))
    return text


def titled_table(title: str) -> Table:
    """A table to be filled, with its title above it on the left."""
    return UnbrokenTable(
        title=title, title_style="bold", title_justify="left", box=None, pad_edge=False
    )


class UnbrokenTable(Table):
    """A table whose columns that do not wrap are as wide as their words, however wide that is."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, its columns wide enough."""
        self._widen()
        return super().__rich_console__(console, options)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width that it needs at least, and takes at most."""
        self._widen()
        return super().__rich_measure__(console, options)

    def _widen(self) -> None:
        for column in self.columns:
            if column.no_wrap and column.min_width is None:
                words = (column.header, *column.cells)
                column.min_width = max(cell_len(str(each)) for each in words)


class Fitting:
    """The first of some tables that fits the terminal, else the last: the most telling first."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table chosen for this width."""
        yield next((table for table in self.tables if self._fits(table, options)), self.tables[-1])

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width of the narrowest, and of the widest."""
        least = Measurement.get(console, options, self.tables[-1]).minimum
        return Measurement(least, max(least, options.max_width))

    @staticmethod
    def _fits(table: Table, options: ConsoleOptions) -> bool:
        wide = options.update(max_width=10_000)
        return Measurement.get(Console(), wide, table).minimum <= options.max_width


def scores_table(frame: pl.DataFrame) -> RenderableType:
    """The means of `evaluate`, one table a measure, best run first."""
    parts: list[RenderableType] = []
    means = frame.filter(pl.col("topic") == "all")
    for (measure,), rows in means.group_by("measure", maintain_order=True):
        parts.append(_fitting(str(measure), rows, ("run",)))
        topics = frame.filter((pl.col("topic") != "all") & (pl.col("measure") == measure))
        if len(topics):
            parts.append(_fitting(f"{measure} by topic", topics, ("run", "topic"), sort=False))
    return Group(*parts)


def _fitting(title: str, rows: pl.DataFrame, names: tuple[str, ...], sort: bool = True) -> Fitting:
    """With the bar of the interval where there is room for it."""
    if sort:
        rows = rows.sort("value", "run", descending=[True, False], nulls_last=True)
    return Fitting([_measure_table(title, rows, names, bar) for bar in (True, False)])


def _measure_table(title: str, rows: pl.DataFrame, names: tuple[str, ...], bar: bool) -> Table:
    bounded = rows["upper"].is_not_null().any()
    table = titled_table(title)
    for name in names:
        table.add_column(name, no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    low, high = _range(rows)
    by_topics = "ci_lower" in rows.columns and rows["ci_lower"].is_not_null().any()
    if bounded:
        name = "certain" if by_topics else "interval"
        table.add_column(name, justify="right", no_wrap=True)
    if bounded and bar:
        table.add_column(f"{low:.2f}{f'{high:.2f}':>{WIDTH - 4}}", no_wrap=True)
    estimated = "standard_error" in rows.columns and rows["standard_error"].is_not_null().any()
    if estimated:
        table.add_column("standard error", justify="right", no_wrap=True)
    if by_topics:
        table.add_column("over topics (t)", justify="right", no_wrap=True, style="yellow")
    table.add_column("judged", justify="right", no_wrap=True)
    for row in rows.iter_rows(named=True):
        cells: list[str | Text] = [row[name] for name in names]
        cells.append(_number(row["value"]))
        ends = row["lower"], row["value"], row["upper"]
        if bounded and row["upper"] is None:
            cells += ["", ""] if bar else [""]
        elif bounded:
            cells.append(f"[{row['lower']:.4f}, {row['upper']:.4f}]")
            if bar:
                # Undefined as yet: the ends tell what it can become.
                middle = ends[0] if ends[1] is None else ends[1]
                cells.append(interval_bar(ends[0], middle, ends[2], low, high))
        if estimated:
            cells.append(_number(row["standard_error"], ""))
        if by_topics:
            known = row["ci_lower"] is not None
            cells.append(f"[{row['ci_lower']:.4f}, {row['ci_upper']:.4f}]" if known else "")
        cells.append("" if row["judged"] is None else f"{row['judged']:.0%}")
        # Run names and intervals may hold brackets, which are no markup.
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    return table


def _range(rows: pl.DataFrame) -> tuple[float, float]:
    high = rows.select(pl.max_horizontal("value", "upper").max()).item()
    return 0.0, max(1.0, high or 0.0) if (high or 0) <= 1 else float(high)


def _number(value: float | None, none: str = "undefined") -> str:
    return none if value is None else f"{value:.4f}"


def plain_table(frame: pl.DataFrame) -> Table:
    """Any frame as a table."""
    table = UnbrokenTable(box=None, pad_edge=False)
    for column in frame.columns:
        table.add_column(column, overflow="fold", no_wrap=column in NAMES)
    for row in frame.iter_rows():
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return table


def wide_table(frame: pl.DataFrame) -> Table:
    """A row for each run (and topic), a column for each measure; best run by the first one first.

    Of a table by topic the order is kept.
    """
    names = [name for name in ("run", "topic") if name in frame.columns]
    measures = frame.columns[len(names) :]
    if "topic" not in names:
        frame = frame.sort(measures[0], "run", descending=[True, False], nulls_last=True)
    table = UnbrokenTable(box=None, pad_edge=False)
    for key in names:
        table.add_column(key, no_wrap=True)
    for measure in measures:
        table.add_column(Text(measure), justify="right", no_wrap=True)
    for row in frame.iter_rows():
        cells = [*row[: len(names)], *map(_number, row[len(names) :])]
        table.add_row(*map(Text, cells))
    return table
