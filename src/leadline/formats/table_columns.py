"""Runs and judgments from tables: columns by their usual names, and the faults of their rows."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from leadline.files.faults import INFINITE, NUMBER, lenient_hint
from leadline.files.problems import InputError, Problem
from leadline.formats.read_options import Reading

NAMES = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "query"),
    "doc": ("doc", "docno", "doc_id", "docid", "corpus-id", "corpus_id", "document_id"),
    "run_score": ("run_score", "score", "sim", "rank"),
    "grade": ("grade", "label", "relevance", "rel", "score"),
    "inclusion": ("inclusion",),
    "stratum": ("stratum",),
    "iteration": ("iteration", "iter", "subtopic", "subtopic_id"),
}
"""Our column names and how others call them, best first."""


def run_columns(frame: pl.DataFrame, name: str, reading: Reading) -> pl.DataFrame:
    """topic, doc, run_score of a run in any of the known spellings; a rank counts downwards."""
    score, column = run_scores(frame, name)
    made = _named(frame, name).with_columns(run_score=score)
    faults = [
        *name_faults(made),
        Fault("score", "the score must be a number", frame[column], _no_number(score)),
        Fault("duplicate", "listed twice for its topic", made["doc"], _repeated(made)),
    ]
    return sound(made, frame, faults, name, reading)


def run_scores(frame: pl.DataFrame, name: str) -> tuple[pl.Series, str]:
    """The scores of a run's rows, null where there is none, and the column that they come from."""
    column = find_column(frame.columns, ("value", *NAMES["run_score"]), "score", name)
    score = as_numbers(frame[column], "score", name)
    return (-score if column.lower() == "rank" else score), column


def qrels_columns(frame: pl.DataFrame, name: str, reading: Reading) -> pl.DataFrame:
    """topic, iteration, doc, grade, inclusion, stratum of judgments in any known spelling."""
    column = find_column(frame.columns, ("value", *NAMES["grade"]), "grade", name)
    frame = _with_labels(frame, column, name, reading)
    number = as_numbers(frame[column], "grade", name)
    odd = _no_number(number) | (number != number.floor()) | ~number.is_between(-32768, 32767)
    made = _named(frame, name)
    faults = [
        *name_faults(made),
        Fault("grade", "the grade must be a whole number", frame[column], odd.fill_null(True)),
    ]
    second = [each for each in frame.columns if each.lower() in NAMES["iteration"]]
    made = made.with_columns(
        grade=number.cast(pl.Int16, strict=False),
        iteration=frame[second[0]].cast(pl.String) if second else pl.lit("0"),
        inclusion=pl.lit(None, pl.Float64),
        stratum=pl.lit(None, pl.Int16),
    )
    for what, dtype in (("inclusion", pl.Float64), ("stratum", pl.Int16)):
        known = next((each for each in frame.columns if each.lower() in NAMES[what]), None)
        if known is not None:
            drawn = as_numbers(frame[known], what, name)
            faults.append(drawn_fault(what, drawn, frame[known]))
            made = made.with_columns(drawn.cast(dtype, strict=False).alias(what))
    return sound(made, frame, faults, name, reading)


UNLABELLED = ("refused", "malformed", "failed", "unasked")
"""What the column state of `leadline label` says of a pair without a grade."""


def _with_labels(frame: pl.DataFrame, grade: str, name: str, reading: Reading) -> pl.DataFrame:
    """The rows but those that say themselves why they have no grade."""
    if "state" not in frame.columns or frame["state"].dtype != pl.String:
        return frame
    left = pl.col(grade).is_null() | (pl.col(grade).cast(pl.String) == "")
    left &= pl.col("state").is_in(UNLABELLED).fill_null(False)
    labels = frame.filter(~left)
    if len(labels) < len(frame) and len(labels):
        message = f"{len(frame) - len(labels):,} pairs have no label, and count as unjudged"
        reading.notices.add(name, "notice", "unlabelled", message)
    return labels


@dataclass(frozen=True)
class Fault:
    """What is wrong in some rows, and the column that shows it."""

    code: str
    message: str
    column: pl.Series
    bad: pl.Series


def drawn_fault(what: str, number: pl.Series, column: pl.Series) -> Fault:
    """What is wrong with inclusion probabilities or strata."""
    if what == "inclusion":
        fine = number.is_between(0, 1, closed="right")
        message = "the inclusion probability must be above 0 and at most 1"
    else:
        fine = number.is_between(0, 32767) & (number == number.floor())
        message = "the stratum must be a whole number from 0 to 32767"
    return Fault(what, message, column, ~fine.fill_null(False))


def sound(
    made: pl.DataFrame, frame: pl.DataFrame, faults: list[Fault], name: str, reading: Reading
) -> pl.DataFrame:
    """The rows without a fault; an InputError if there are others and reading is strict."""
    if made.is_empty():
        raise InputError.of(name, "empty", "is empty")
    problems = []
    wrong = pl.repeat(False, len(made), eager=True)
    for fault in faults:
        wrong |= fault.bad
        for row in fault.bad.arg_true().to_list():
            line = int(frame["line"][row]) if "line" in frame.columns else None
            where = "" if line is not None else f"row {row + 1}: "
            message = f"{where}{fault.message}, found {fault.column[row]!r}"
            problems.append(Problem(name, line, "error", fault.code, message))
    if problems and (not reading.lenient or wrong.all()):
        n_faulty = int(wrong.sum())
        raise InputError(problems, lenient_hint(n_faulty, len(made) - n_faulty, "rows"))
    if problems:
        message = f"{int(wrong.sum())} faulty rows were skipped"
        reading.notices.add(name, "warning", "skipped", message)
    return made.filter(~wrong)


def _named(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return pl.DataFrame(
        {what: as_names(frame, what, name) for what in ("topic", "doc")},
        schema=dict.fromkeys(("topic", "doc"), pl.String),
    )


def as_names(frame: pl.DataFrame, what: str, name: str) -> pl.Series:
    """A column as text; null where it is none."""
    column = frame[find_column(frame.columns, NAMES[what], what, name)]
    if column.dtype.is_float() and (column.drop_nans() == column.drop_nans().floor()).all():
        # pandas turns whole numbers into floats where one is missing.
        column = column.fill_nan(None).cast(pl.Int64, strict=False)
    try:
        return column.cast(pl.String, strict=False)
    except pl.exceptions.PolarsError:
        told = "bytes that are not UTF-8" if column.dtype == pl.Binary else str(column.dtype)
        message = f"the {what} must be text or a number, found {told}"
        raise InputError.of(name, what, message) from None


def name_faults(made: pl.DataFrame) -> list[Fault]:
    """Rows without a topic or a doc."""
    return [
        Fault(what, f"the {what} is missing", made[what], made[what].fill_null("") == "")
        for what in ("topic", "doc")
    ]


def find_column(columns: list[str], names: Iterable[str], what: str, name: str) -> str:
    """The column that is called by one of these names; an InputError if none is."""
    lower = {column.lower(): column for column in columns}
    for known in names:
        if known in lower:
            return lower[known]
    have = ", ".join(column for column in columns if column != "line")
    message = f"has no column for the {what} (one of {', '.join(names)}); its columns are {have}"
    raise InputError.of(name, "columns", message)


def as_numbers(column: pl.Series, what: str, name: str) -> pl.Series:
    """The column as floats; null where a text is no number."""
    if column.dtype == pl.String:
        fine = column.str.contains(f"^(?:{NUMBER}|{INFINITE})$")
        known = column.set(~fine.fill_null(False), None)
        return known.str.to_lowercase().cast(pl.Float64)
    if not column.dtype.is_numeric():
        raise InputError.of(name, what, f"the {what} must be a number, found {column.dtype}")
    return column.cast(pl.Float64)


def _no_number(column: pl.Series) -> pl.Series:
    return column.is_null() | column.is_nan().fill_null(True)


def _repeated(made: pl.DataFrame) -> pl.Series:
    """Rows whose pair came before."""
    return ~made.select(pl.struct("topic", "doc").is_first_distinct()).to_series()
