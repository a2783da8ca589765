"""The table of groups: who made a run, of which type it is, whether it was pooled."""

import os
from pathlib import Path

import polars as pl

from leadline.files.problems import InputError, Notices
from leadline.files.source import read_source, run_name
from leadline.formats.csv_table import read_table


def read_groups(path: Path | None, runs: tuple[str, ...], notices: Notices) -> pl.DataFrame:
    """Columns run, group, type, pooled from groups.tsv; without it a run is its own group."""
    alone = pl.DataFrame({"run": runs}, schema={"run": pl.String}).with_columns(
        group=pl.col("run"), type=pl.lit(None, pl.String), pooled=pl.lit(None, pl.Boolean)
    )
    if path is None or not path.is_file():
        return alone
    table = read_table(read_source(path), "\t").drop("line")
    group = next((name for name in ("group", "team") if name in table.columns), None)
    if "run" not in table.columns or group is None:
        message = f"needs the columns run and group; found {', '.join(table.columns)}"
        raise InputError.of(os.fspath(path), "groups", message)
    # A table may call a run by its file's full name.
    called = [each if each in runs else run_name(each) for each in table["run"]]
    table = table.with_columns(pl.Series("run", called, pl.String), pl.col(group).replace("", None))
    kind = pl.col("type") if "type" in table.columns else pl.lit(None, pl.String)
    pooled = pl.lit(None, pl.Boolean)
    if "pooled" in table.columns:
        pooled = pl.col("pooled").str.to_lowercase().is_in(["yes", "true", "1"])
    known = table.select("run", group=pl.col(group), type=kind, pooled=pooled).unique(
        "run", keep="first"
    )
    joined = alone.select("run").join(known, on="run", how="left", maintain_order="left")
    unknown = joined.filter(pl.col("group").is_null())["run"].to_list()
    for run in unknown:
        notices.add(os.fspath(path), "warning", "no-group", f"does not name the group of {run}")
    return joined.with_columns(pl.col("group").fill_null(pl.col("run")))
