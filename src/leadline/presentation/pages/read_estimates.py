"""Scores that estimators gave, to see how the order of the runs depends on them."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from leadline.comparison.correlation import orderings
from leadline.files.problems import InputError, Notices
from leadline.tables.arrays import Floats


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimator's name and its mean score of every run, NaN where it has none."""

    name: str
    value: Floats


def read_estimates(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Columns run, measure, estimator, value of the means in a csv of `leadline estimate`.

    One of `leadline evaluate`, or any with run, measure and value, will do too: its estimator is
    the file's name.
    """
    source = Path(path)
    if not source.is_file():
        raise InputError.of(str(path), "missing", "no such file")
    try:
        table = pl.read_csv(source, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise InputError.of(str(path), "estimates", f"is no csv: {error}") from None
    lacking = [name for name in ("run", "measure", "value") if name not in table.columns]
    if lacking:
        message = f"has no column {', '.join(lacking)}: expected what leadline estimate writes"
        raise InputError.of(str(path), "estimates", message)
    if "topic" in table.columns:
        table = table.filter(pl.col("topic") == "all")
    if "estimator" not in table.columns:
        table = table.with_columns(estimator=pl.lit(source.stem))
    value = pl.col("value").cast(pl.Float64, strict=False)
    made = table.select("run", "measure", "estimator", value=value)
    wrong = table.filter(value.is_null() & (pl.col("value").fill_null("") != ""))
    if len(wrong):
        message = f"the value must be a number, found {wrong['value'][0]!r}"
        raise InputError.of(str(path), "estimates", message)
    return made


def estimates_of(
    table: pl.DataFrame, measure: str, runs: tuple[str, ...], notices: Notices
) -> tuple[Estimate, ...]:
    """The estimates of one measure for these runs, in the order of the table."""
    mine = table.filter(pl.col("measure") == measure)
    found = []
    for (name,), rows in mine.group_by("estimator", maintain_order=True):
        known = dict(rows.select("run", "value").iter_rows())
        if not set(known) & set(runs):
            raise ValueError(f"{name} estimates {measure} for none of these runs")
        value = np.array([known.get(run) for run in runs], np.float64)
        missing = int(np.isnan(value).sum())
        if missing:
            message = f"has no estimate of {measure} for {missing} of {len(runs)} runs"
            notices.add(str(name), "warning", "estimates", message)
        found.append(Estimate(str(name), value))
    return tuple(found)


def agreement(first: Estimate, second: Estimate) -> dict[str, float]:
    """How far two estimates order the runs alike, on the runs that both have."""
    both = ~np.isnan(first.value) & ~np.isnan(second.value)
    if both.sum() < 2:
        return {}
    return orderings(first.value[both], second.value[both])
