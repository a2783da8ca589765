"""Qrels files: `topic iteration doc grade`, and an inclusion probability if sampled.

sample_eval's have the stratum before the grade: `topic iteration doc stratum grade`. ndeval's qrels
have the four fields with a subtopic in the second: see ndeval_qrels.py.
"""

import polars as pl

from leadline.files.fields import (
    NUMBER,
    UNREADABLE,
    WHOLE,
    n_lines,
    problems_of,
    short,
    wrong_encoding,
    wrong_fields,
)
from leadline.files.problems import InputError, Notices, Problem
from leadline.files.scan import Schema, lines, scan
from leadline.files.source import Source, check_text, regular

SCHEMA: Schema = {
    "topic": pl.String,
    "iteration": pl.String,
    "doc": pl.String,
    "grade": pl.Int16,
}
SAMPLED: Schema = {**SCHEMA, "inclusion": pl.Float64}
STRATIFIED: Schema = {
    "topic": pl.String,
    "iteration": pl.String,
    "doc": pl.String,
    "stratum": pl.Int16,
    "grade": pl.Int16,
}
COLUMNS = ["topic", "iteration", "doc", "grade", "inclusion", "stratum"]


def read_qrels_lines(source: Source, notices: Notices, lenient: bool = False) -> pl.DataFrame:
    """Columns topic, iteration, doc, grade, inclusion, stratum (null if unknown) of all lines.

    Strict: an InputError names every faulty line. Lenient: they are left out and counted.
    """
    frame = scan_qrels(source)
    if frame is not None:
        return frame
    check_text(source)
    table, problems = examine_qrels(source)
    if problems and (not lenient or table.is_empty()):
        raise InputError(problems)
    if problems:
        notices.add(
            source.name, "warning", "skipped", f"{n_lines(problems)} faulty lines were skipped"
        )
    return table.select(COLUMNS)


def scan_qrels(source: Source) -> pl.DataFrame | None:
    """All lines, if every one of them is sound."""
    head = regular(next(source.chunks(1 << 12), b"")).split(b"\n")
    fields = next((line.split() for line in head if line), [])
    schema = SAMPLED if len(fields) == 5 else SCHEMA
    frame = scan(source, schema, [pl.col(name) for name in schema])
    if frame is None:
        return None
    if len(fields) == 5 and not frame["inclusion"].is_between(0, 1, closed="right").all():
        # No probability is 0 or -1: these are grades, whole numbers, and the strata before them.
        share = frame["inclusion"]
        grades = (share == share.floor()).all() and (share <= 0).any()
        frame = scan(source, STRATIFIED, [pl.col(name) for name in STRATIFIED]) if grades else None
        if frame is None or not (frame["stratum"] >= 0).all():
            return None
    return _all_columns(frame)


def _all_columns(frame: pl.DataFrame) -> pl.DataFrame:
    for name, dtype in (("inclusion", pl.Float64), ("stratum", pl.Int16)):
        if name not in frame.columns:
            frame = frame.with_columns(pl.lit(None, dtype).alias(name))
    return frame


def examine_qrels(source: Source) -> tuple[pl.DataFrame, list[Problem]]:
    """The sound lines (line and COLUMNS) and every fault of the others."""
    name = source.name
    table = lines(regular(source.data))
    if table.is_empty():
        raise InputError.of(name, "empty", "is empty but for comments")
    if (table["n_fields"] == 6).mean() > 0.5:  # type: ignore[operator]
        seems = "looks like a run: most lines have 6 fields, qrels have 4 " + (
            "(topic 0 doc grade). Give the qrels first, then the runs"
        )
        problem = Problem(name, None, "error", "not-qrels", seems)
        return _all_columns(pl.DataFrame(schema={"line": pl.Int64, **SAMPLED})), [problem]
    sampled = (table["n_fields"] == 5).sum() > (table["n_fields"] == 4).sum()
    wanted = 5 if sampled else 4
    unreadable = wrong_encoding(name, table, source.data)
    problems = unreadable + wrong_fields(name, table, wanted)
    if unreadable:
        table = table.filter(~UNREADABLE)
    table = table.filter(pl.col("n_fields") == wanted)
    fourth, fifth = pl.col("field").list.get(3), pl.col("field").list.get(4, null_on_oob=True)
    stratified = sampled and _are_grades(table.select(fifth).to_series())
    nothing = pl.lit(None, pl.String)
    table = table.select(
        "line",
        "text",
        topic=pl.col("field").list.get(0),
        iteration=pl.col("field").list.get(1),
        doc=pl.col("field").list.get(2),
        grade_text=fifth if stratified else fourth,
        share_text=nothing if stratified else fifth,
        stratum_text=fourth if stratified else nothing,
    )
    table = table.with_columns(
        grade=_whole(pl.col("grade_text")),
        stratum=_whole(pl.col("stratum_text")),
        inclusion=pl.when(pl.col("share_text").str.contains(NUMBER)).then(
            pl.col("share_text").cast(pl.Float64, strict=False)
        ),
    )
    bad = pl.col("grade").is_null()
    message = pl.format(
        "the grade must be a whole number from -32768 to 32767, found {}: {}",
        short(pl.col("grade_text"), 30),
        short(pl.col("text")),
    )
    problems += problems_of(name, table.filter(bad), "grade", message)
    table = table.filter(~bad)
    odd = pl.col("share_text").is_not_null() & ~pl.col("inclusion").is_between(
        0, 1, closed="right"
    ).fill_null(False)
    message = pl.format(
        "the inclusion probability must be above 0 and at most 1, found {}: {}",
        short(pl.col("share_text"), 30),
        short(pl.col("text")),
    )
    problems += problems_of(name, table.filter(odd), "inclusion", message)
    table = table.filter(~odd)
    odd = pl.col("stratum_text").is_not_null() & (pl.col("stratum") >= 0).not_().fill_null(True)
    message = pl.format(
        "the stratum must be a whole number from 0 to 32767, found {}: {}",
        short(pl.col("stratum_text"), 30),
        short(pl.col("text")),
    )
    problems += problems_of(name, table.filter(odd), "stratum", message)
    return table.filter(~odd).select("line", *COLUMNS), problems


def _whole(text: pl.Expr) -> pl.Expr:
    """The number that a text is, null if it is none."""
    number = text.str.strip_prefix("+").cast(pl.Int16, strict=False)
    return pl.when(text.str.contains(WHOLE)).then(number)


def _are_grades(fifth: pl.Series) -> bool:
    """Whether the fifth fields hold grades: some number is 0 or -1, and none has a point.

    A number above 1 is no sign: five fields that end in one may be a run without its tag.
    """
    number = fifth.filter(fifth.str.contains(NUMBER))
    whole = number.str.contains(WHOLE)
    return bool(whole.all() and (number.cast(pl.Float64) <= 0).any())


def merge_repeats(
    name: str, frame: pl.DataFrame, notices: Notices, lenient: bool, unit: tuple[str, ...]
) -> pl.DataFrame:
    """Each unit once: identical repeats merge with a notice, conflicting ones are an error.

    `frame` may have a column `line`, which messages then name. Lenient keeps the first of two that
    disagree.
    """
    if not frame.select(unit).is_duplicated().any():
        return frame
    if "line" not in frame.columns:
        frame = frame.with_row_index("line", 1)
    groups = frame.with_columns(
        first=pl.col("line").first().over(unit),
        was=pl.col("grade").first().over(unit),
        share=pl.col("inclusion").first().over(unit),
        part=pl.col("stratum").first().over(unit),
    ).with_columns(
        same=(pl.col("grade") == pl.col("was"))
        & pl.col("inclusion").eq_missing(pl.col("share"))
        & pl.col("stratum").eq_missing(pl.col("part"))
    )
    conflict = groups.filter(~pl.col("same"))
    if len(conflict):
        grades = pl.format("grade {} here and {} on line {}", "grade", "was", "first")
        drawn = pl.format("another inclusion probability or stratum than on line {}", "first")
        message = pl.format(
            "doc {} of topic {} has {}. Decide for one of them",
            "doc",
            "topic",
            pl.when(pl.col("grade") == pl.col("was")).then(drawn).otherwise(grades),
        )
        problems = problems_of(name, conflict, "conflict", message)
        if not lenient:
            raise InputError(problems)
        notices.add(
            name, "warning", "skipped", f"{len(problems)} judgments that conflict were skipped"
        )
    same = groups.filter((pl.col("line") != pl.col("first")) & pl.col("same"))
    if len(same):
        notices.add(
            name, "notice", "merged", f"{len(same)} judgments given twice, identical, were merged"
        )
    return frame.unique(unit, keep="first", maintain_order=True).drop("line")
