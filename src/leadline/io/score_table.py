"""Tables of scores as verbs write them: csv, tab-separated, JSON or Parquet."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from leadline.io.json_table import JsonLines
from leadline.io.problems import InputError
from leadline.io.source import read_source
from leadline.io.tabular import Parquet, as_numbers, read_table, to_frame


def written_table(path: str | os.PathLike[str]) -> tuple[str, pl.DataFrame]:
    """The name of a file that some verb's -o wrote, and its table."""
    source = read_source(path)
    for kind in (Parquet(), JsonLines()):
        if kind.looks_like(source):
            return source.name, kind.table(source)
    separator = "\t" if b"\t" in source.head.partition(b"\n")[0] else ","
    return source.name, read_table(source, separator)


SCORES = ("value", "adjusted", "score")
"""Columns that may hold the score, best first."""

MEAN = "all"


@dataclass(frozen=True)
class ScoreTable:
    """Columns run, value of the means; run, topic, value of the topics, which may be empty.

    `title` tells by what the runs are scored, as far as the table does; `has_estimators` whether
    the table has that column.
    """

    name: str
    title: str
    means: pl.DataFrame
    topics: pl.DataFrame
    has_estimators: bool = False


def score_table(what: Any, measure: str | None = None, estimator: str | None = None) -> ScoreTable:
    """The scores of one measure (and estimator) in a csv or JSON file, a table, or {run: score}.

    The mean is the row with topic `all`; where there is none, it is made of the topics. An
    `estimator` does not matter to a table without that column.
    """
    name, frame = _frame(what)
    column = next((each for each in SCORES if each in frame.columns), None)
    if column is None or "run" not in frame.columns:
        found = ", ".join(frame.columns[:8])
        message = f"is no table of scores: expected columns run and value, found {found}"
        raise InputError.of(name, "columns", message)
    has_estimators = "estimator" in frame.columns
    choices = ("measure", measure), ("estimator", estimator if has_estimators else None)
    for key, wanted in (*choices, ("adjuster", None)):
        frame = _chosen(frame, key, wanted, name)
    keys = [key for key in ("measure", "estimator", "adjuster") if key in frame.columns]
    by = [str(frame[key][0]) for key in keys if len(frame) and frame[key][0] is not None]
    rows = frame.select(
        pl.col("run").cast(pl.String),
        pl.col("topic").cast(pl.String)
        if "topic" in frame.columns
        else pl.lit(MEAN).alias("topic"),
        _number(frame, column, name).alias("value"),
    )
    for what in ("run", "topic"):
        _refuse(rows[what].fill_null("") == "", frame, what, f"the {what} is missing", name)
    again = ~rows.select(pl.struct("run", "topic").is_first_distinct()).to_series()
    if again.any():
        run, topic, _ = rows.filter(again).row(0)
        _refuse(again, frame, "duplicate", f"has two scores of {run} for topic {topic}", name)
    rows = rows.drop_nulls("value").filter(pl.col("value").is_not_nan())
    topics = rows.filter(pl.col("topic") != MEAN)
    means = rows.filter(pl.col("topic") == MEAN).select("run", "value")
    if means.is_empty():
        means = topics.group_by("run", maintain_order=True).agg(pl.col("value").mean())
    return ScoreTable(name, " by ".join(by) or name, means, topics, has_estimators)


def estimate_table(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Columns run, measure, estimator, value of the means in a file of `leadline estimate`.

    One of `leadline evaluate`, or any with run, measure and value, will do too: its estimator is
    the file's name.
    """
    name, frame = _frame(path)
    lacking = [column for column in ("run", "measure", "value") if column not in frame.columns]
    if lacking:
        message = f"has no column {', '.join(lacking)}: expected what leadline estimate writes"
        raise InputError.of(name, "columns", message)
    if "estimator" not in frame.columns:
        frame = frame.with_columns(estimator=pl.lit(Path(path).stem))
    frame = frame.with_columns(value=_number(frame, "value", name))
    if "topic" in frame.columns:
        frame = frame.filter(pl.col("topic") == MEAN)
    return frame.select("run", "measure", "estimator", "value")


def _frame(what: Any) -> tuple[str, pl.DataFrame]:
    if isinstance(what, Mapping):
        if any(isinstance(value, Mapping) for value in what.values()):
            rows = [(run, topic, x) for run, inner in what.items() for topic, x in inner.items()]
            return "scores", pl.DataFrame(rows, schema=["run", "topic", "value"], orient="row")
        return "scores", pl.DataFrame({"run": list(what), "value": list(what.values())})
    if not isinstance(what, str | os.PathLike):
        return "scores", to_frame(what, "scores")
    return written_table(what)


def _chosen(frame: pl.DataFrame, key: str, wanted: str | None, name: str) -> pl.DataFrame:
    """The rows of one measure or estimator."""
    known = (
        frame[key].cast(pl.String).fill_null("").unique(maintain_order=True).to_list()
        if key in frame.columns
        else []
    )
    if wanted is None:
        if len(known) > 1:
            some = ", ".join(map(str, known[:5]))
            how = "" if key == "adjuster" else f" with `{key}s`"
            raise InputError.of(name, key, f"holds {len(known)} {key}s, choose one{how}: {some}")
        return frame
    if wanted not in known:
        some = ", ".join(map(str, known[:5])) or "none"
        raise InputError.of(name, key, f"has no {key} {wanted}, it has: {some}")
    return frame.filter(pl.col(key) == wanted)


def _number(frame: pl.DataFrame, column: str, name: str) -> pl.Series:
    """The scores; null where a cell is empty."""
    given = frame[column]
    if given.dtype == pl.String:
        given = given.set(given == "", None)
    number = as_numbers(given, "score", name)
    wrong = (number.is_null() & given.is_not_null()) | number.is_infinite().fill_null(False)
    if wrong.any():
        found = given.filter(wrong)[0]
        _refuse(wrong, frame, "score", f"the score must be a number, found {found!r:.60}", name)
    return number


def _refuse(wrong: pl.Series, frame: pl.DataFrame, code: str, message: str, name: str) -> None:
    """An InputError with the line of the first wrong row, or its number if it has none."""
    if wrong.any():
        at = int(wrong.arg_true()[0])
        if "line" in frame.columns and frame["line"].dtype == pl.Int64:
            raise InputError.of(name, code, message, int(frame["line"][at]))
        raise InputError.of(name, code, f"row {at + 1}: {message}")
