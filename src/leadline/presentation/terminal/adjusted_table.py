"""Tables of `adjust` for the terminal: places before and after, prediction intervals as bars."""

import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from leadline.presentation.terminal.tables import WIDTH, interval_bar, titled_table


def adjusted_tables(frame: pl.DataFrame) -> RenderableType:
    """One table a measure."""
    parts = frame.partition_by("measure", maintain_order=True)
    return Group(*map(_adjusted_table, parts))


def _adjusted_table(frame: pl.DataFrame) -> RenderableType:
    """Runs by adjusted score; below, why not to trust some of them."""
    frame = frame.with_columns(
        before=pl.col("unadjusted").rank("min", descending=True).cast(pl.Int64),
        after=pl.col("adjusted").rank("min", descending=True).cast(pl.Int64),
    ).sort("adjusted", "run", descending=[True, False])
    title = f"{frame['measure'][0]} adjusted by {frame['adjuster'][0]}"
    table = titled_table(title)
    several = len(frame) > 1
    ends = frame.select(pl.max_horizontal("pred_upper", "adjusted").max()).item() or 1.0
    high = max(1.0, float(ends)) if ends <= 1 else float(ends)
    # On a narrow terminal the bar goes first, the name never.
    table.add_column("run", no_wrap=True, min_width=max(map(len, frame["run"])))
    if several:
        table.add_column("place", no_wrap=True)
    for name in ("unadjusted", "adjustment", "adjusted"):
        table.add_column(name, justify="right", no_wrap=True, min_width=len(name))
    table.add_column("95% prediction interval", justify="right", no_wrap=True, min_width=16)
    table.add_column("judged", justify="right", no_wrap=True, min_width=6)
    table.add_column(f"0.00{f'{high:.2f}':>{WIDTH - 4}}", no_wrap=True, min_width=1)
    for row in frame.iter_rows(named=True):
        cells: list[str | Text] = [row["run"]]
        if several:
            moved = row["before"] != row["after"]
            cells.append(f"{row['before']} > {row['after']}" if moved else f"{row['after']}")
        cells += [f"{row['unadjusted']:.4f}", f"{row['adjustment']:+.4f}", f"{row['adjusted']:.4f}"]
        if row["pred_lower"] is None:
            ends = row["lower"], row["upper"]
            cells.append("unknown" if None in ends else "bounds [{:.4f}, {:.4f}]".format(*ends))
            cells += [f"{row['judged']:.0%}", ""]
        else:
            cells.append(f"[{row['pred_lower']:.4f}, {row['pred_upper']:.4f}]")
            cells.append(f"{row['judged']:.0%}")
            ends = row["pred_lower"], row["adjusted"], row["pred_upper"]
            cells.append(interval_bar(*ends, 0.0, high))
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    reasons = [
        Text(f"{row['run']}: {row['caveats']}", style="yellow")
        for row in frame.iter_rows(named=True)
        if row["caveats"]
    ]
    return Group(table, *reasons)
