"""Tables of estimates for the terminal: one row a run, a column or two an estimator."""

import polars as pl
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from leadline.presentation.terminal.tables import titled_table


def estimates_table(frame: pl.DataFrame) -> RenderableType:
    """The means of `estimate`, one table a measure, best run by the last estimator first."""
    parts: list[RenderableType] = []
    for (measure,), rows in frame.group_by("measure", maintain_order=True):
        means = rows.filter(pl.col("topic") == "all")
        parts.append(_table(str(measure), means, ("run",), sort=True))
        topics = rows.filter(pl.col("topic") != "all")
        if len(topics):
            parts.append(_table(f"{measure} by topic", topics, ("run", "topic"), sort=False))
    return Group(*parts)


def _table(title: str, rows: pl.DataFrame, keys: tuple[str, ...], sort: bool) -> Table:
    names = rows["estimator"].unique(maintain_order=True).to_list()
    table = titled_table(title)
    for key in keys:
        table.add_column(key, no_wrap=True)
    doubted = set(rows.filter(pl.col("caveats").is_not_null())["estimator"])
    known = set(rows.filter(pl.col("pred_lower").is_not_null())["estimator"])
    for name in names:
        table.add_column(Text(f"{name} in doubt" if name in doubted else name), justify="right")
        if name in known:
            table.add_column("95% interval", justify="right", no_wrap=True)
    table.add_column("bounds", justify="right", no_wrap=True)
    estimates = {
        (*key, estimator): (value, lower, upper)
        for *key, estimator, value, lower, upper in rows.select(
            *keys, "estimator", "value", "pred_lower", "pred_upper"
        ).iter_rows()
    }
    last = rows.filter(estimator=names[-1])
    if sort:
        last = last.sort("value", "run", descending=[True, False], nulls_last=True)
    for row in last.iter_rows(named=True):
        labels = [row[name] for name in keys]
        cells = []
        for name in names:
            value, *interval = estimates[(*labels, name)]
            cells.append("undefined" if value is None else f"{value:.4f}")
            cells += [_ends(*interval)] * (name in known)
        table.add_row(*map(Text, [*labels, *cells, _ends(row["lower"], row["upper"])]))
    return table


def _ends(lower: float | None, upper: float | None) -> str:
    return "" if lower is None or upper is None else f"[{lower:.4f}, {upper:.4f}]"
