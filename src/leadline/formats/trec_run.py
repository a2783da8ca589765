"""TREC run files: `topic Q0 doc rank score tag`."""

import polars as pl

from leadline.files.fields import (
    INFINITE,
    NUMBER,
    UNREADABLE,
    n_lines,
    problems_of,
    short,
    wrong_encoding,
    wrong_fields,
)
from leadline.files.problems import InputError, Notices, Problem
from leadline.files.scan import Schema, lines, scan
from leadline.files.source import Source, check_text, regular
from leadline.formats.rows import Rows

SCHEMA: Schema = {
    "topic": pl.String,
    "iteration": pl.String,
    "doc": pl.String,
    "rank": pl.String,
    "run_score": pl.Float64,
    "tag": pl.String,
}


def read_run(source: Source, notices: Notices, lenient: bool = False) -> Rows:
    """The run's rows in the order of the file.

    Strict: the first look at a faulty file ends in an InputError that names every fault. Lenient:
    faulty lines are left out and counted in the notices.
    """
    frame = scan(source, SCHEMA, [pl.col(name) for name in ("topic", "doc", "run_score")])
    if frame is not None:
        rows = Rows.of_frame(frame)
        if rows.are_sound():
            return rows
    check_text(source)
    frame, problems = examine_run(source)
    errors = [problem for problem in problems if problem.level == "error"]
    if errors and (not lenient or frame.is_empty()):
        raise InputError(errors)
    if errors:
        notices.add(
            source.name, "warning", "skipped", f"{n_lines(errors)} faulty lines were skipped"
        )
    return Rows.of_frame(frame)


def examine_run(source: Source) -> tuple[pl.DataFrame, list[Problem]]:
    """The sound lines (line, topic, doc, run_score) and every fault of the others."""
    name = source.name
    table = lines(regular(source.data))
    if table.is_empty():
        raise InputError.of(name, "empty", "is empty but for comments")
    if (table["n_fields"] == 4).mean() > 0.5:  # type: ignore[operator]
        seems = "looks like a qrels file: most lines have 4 fields, a run's have 6 " + (
            "(topic Q0 doc rank score tag). Give the qrels first, then the runs"
        )
        return _nothing(), [Problem(name, None, "error", "not-a-run", seems)]
    unreadable = wrong_encoding(name, table, source.data)
    problems = unreadable + wrong_fields(name, table, 6)
    if unreadable:
        table = table.filter(~UNREADABLE)
    table = table.filter(pl.col("n_fields") == 6).select(
        "line",
        "text",
        topic=pl.col("field").list.get(0),
        doc=pl.col("field").list.get(2),
        score=pl.col("field").list.get(4),
    )
    number = pl.col("score").str.contains(NUMBER) | pl.col("score").str.contains(INFINITE)
    bad = table.filter(~number)
    message = pl.format("the score must be a number, found {}: {}", _quoted("score"), _text())
    problems += problems_of(name, bad, "score", message)
    table = table.filter(number).with_columns(
        run_score=pl.col("score").str.to_lowercase().cast(pl.Float64)
    )
    first = pl.col("line").first().over("topic", "doc")
    table = table.with_columns(first=first)
    twice = table.filter(pl.col("line") != pl.col("first"))
    message = pl.format(
        "doc {} is listed twice for topic {} (first on line {}). Keep one of the two lines",
        "doc",
        "topic",
        "first",
    )
    problems += problems_of(name, twice, "duplicate", message)
    table = table.filter(pl.col("line") == pl.col("first"))
    return table.select("line", "topic", "doc", "run_score"), problems


def _text() -> pl.Expr:
    return short(pl.col("text"))


def _quoted(column: str) -> pl.Expr:
    return short(pl.col(column), 30)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(
        schema={"line": pl.Int64, "topic": pl.String, "doc": pl.String, "run_score": pl.Float64}
    )
