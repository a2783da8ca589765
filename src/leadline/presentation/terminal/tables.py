"""Tables for the terminal: runs by score, the interval drawn as a small bar."""

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

WIDTH = 24


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
    return Table(title=title, title_style="bold", title_justify="left", box=None, pad_edge=False)


def scores_table(frame: pl.DataFrame) -> RenderableType:
    """The means of `evaluate`, one table a measure, best run first."""
    parts: list[RenderableType] = []
    means = frame.filter(pl.col("topic") == "all")
    for (measure,), rows in means.group_by("measure", maintain_order=True):
        parts.append(_measure_table(str(measure), rows, ("run",)))
        topics = frame.filter((pl.col("topic") != "all") & (pl.col("measure") == measure))
        if len(topics):
            parts.append(
                _measure_table(f"{measure} by topic", topics, ("run", "topic"), sort=False)
            )
    return Group(*parts)


def _measure_table(
    title: str, rows: pl.DataFrame, names: tuple[str, ...], sort: bool = True
) -> Table:
    bounded = rows["upper"].is_not_null().any()
    if sort:
        rows = rows.sort("value", "run", descending=[True, False], nulls_last=True)
    table = titled_table(title)
    for name in names:
        table.add_column(name, overflow="fold")
    table.add_column("score", justify="right")
    low, high = _range(rows)
    if bounded:
        table.add_column("interval", justify="right", no_wrap=True)
        table.add_column(f"{low:.2f}{f'{high:.2f}':>{WIDTH - 4}}", no_wrap=True)
    estimated = "standard_error" in rows.columns and rows["standard_error"].is_not_null().any()
    if estimated:
        table.add_column("standard error", justify="right")
    table.add_column("judged", justify="right")
    for row in rows.iter_rows(named=True):
        cells: list[str | Text] = [row[name] for name in names]
        cells.append(_number(row["value"]))
        if bounded and row["upper"] is None:
            cells += ["", ""]
        elif bounded:
            cells.append(f"[{row['lower']:.4f}, {row['upper']:.4f}]")
            cells.append(interval_bar(row["lower"], row["value"], row["upper"], low, high))
        if estimated:
            cells.append(_number(row["standard_error"], ""))
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
    table = Table(box=None, pad_edge=False)
    for column in frame.columns:
        table.add_column(column, overflow="fold")
    for row in frame.iter_rows():
        table.add_row(*(Text("" if cell is None else str(cell)) for cell in row))
    return table
