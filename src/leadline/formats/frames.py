"""Tables that users already have: dicts, pandas, polars, Arrow, ir_measures' tuples; JSON, Parquet.

Each becomes a polars frame with our column names, or an InputError that says which column is
missing or which row is wrong.
"""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from leadline.files.faults import INFINITE, NUMBER
from leadline.files.problems import InputError, Problem
from leadline.files.source import Source
from leadline.formats.kinds import NAMES, SEPARATORS, kind_of
from leadline.formats.read_options import Reading


def to_frame(what: Any, name: str) -> pl.DataFrame:
    """A polars frame with the columns that the object has.

    Nested dicts get topic, doc, value, and subtopic if they are {topic: {subtopic: {doc: value}}}.
    """
    if isinstance(what, pl.LazyFrame):
        return what.collect()
    if isinstance(what, pl.DataFrame):
        return what
    if isinstance(what, Mapping):
        return _from_nested(what, name)
    if hasattr(what, "column_names"):
        return pl.DataFrame(pl.from_arrow(what))
    if hasattr(what, "columns") and hasattr(what, "__getitem__"):
        # Column by column, since polars' own conversion from pandas needs pyarrow.
        return pl.DataFrame({str(column): what[column].tolist() for column in what.columns})
    return _from_tuples(what, name)


def _from_nested(what: Mapping[Any, Any], name: str) -> pl.DataFrame:
    filled = (part for part in what.values() if isinstance(part, Mapping) and part)
    # One value tells it for all: a mixture is found to be wrong further on.
    if isinstance(next(iter(next(filled, {}).values()), None), Mapping):
        parts = [
            _from_nested({topic: docs}, name).with_columns(subtopic=pl.lit(str(subtopic)))
            for topic, subtopics in what.items()
            for subtopic, docs in (subtopics if isinstance(subtopics, Mapping) else {"": 0}).items()
        ]
        return pl.concat(parts, how="vertical_relaxed")
    topics: list[str] = []
    docs: list[str] = []
    values: list[float] = []
    for topic, inner in what.items():
        if not isinstance(inner, Mapping):
            message = f"expected {{topic: {{doc: number}}}}, found {inner!r} for topic {topic!r}"
            raise InputError.of(name, "columns", message)
        topics.extend([str(topic)] * len(inner))
        docs.extend(map(str, inner))
        values.extend(inner.values())
    numbers = (
        pl.Series("value", values, strict=False) if values else pl.Series("value", [], pl.Float64)
    )
    return pl.DataFrame({"topic": pl.Series(topics, dtype=pl.String), "doc": docs}).with_columns(
        numbers
    )


def _from_tuples(what: Iterable[Any], name: str) -> pl.DataFrame:
    rows = list(what)
    if not rows:
        raise InputError.of(name, "empty", "is empty")
    fields = getattr(rows[0], "_fields", None)
    if fields is None:
        message = f"expected named tuples as ir_measures has them, found {rows[0]!r}"
        raise InputError.of(name, "columns", message)
    return pl.DataFrame([tuple(row) for row in rows], schema=list(fields), orient="row")


def from_structured(source: Source) -> pl.DataFrame | None:
    """The table in a JSON, JSON-lines, Parquet or headed TSV file; None if it is none of these."""
    kind = kind_of(source)
    try:
        if kind == "parquet":
            return pl.read_parquet(io.BytesIO(source.data))
        if kind == "json":
            return _from_json(source)
        if kind is not None:
            separator, quote = SEPARATORS[kind]
            data = io.BytesIO(source.data)
            table = pl.read_csv(data, separator=separator, infer_schema=False, quote_char=quote)
            return table.with_row_index("line", 2)
    except (pl.exceptions.PolarsError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = str(error).splitlines()[0]
        raise InputError.of(source.name, "format", f"cannot be read: {reason}") from None
    return None


def _from_json(source: Source) -> pl.DataFrame:
    text = source.data.decode("utf-8-sig")

    def once(items: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(items)
        if len(made) < len(items):
            names = [name for name, _ in items]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError.of(source.name, "duplicate", f"has {twice!r} twice in one object")
        return made

    try:
        whole = json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise InputError.of(
                source.name, "format", f"is no JSON: {error.msg}", error.lineno
            ) from None
    else:
        if all(isinstance(inner, dict) for inner in whole.values()):
            return _from_nested(whole, source.name)
    return pl.read_ndjson(text.encode(), infer_schema_length=None).with_row_index("line", 1)


def run_columns(frame: pl.DataFrame, name: str, reading: Reading) -> pl.DataFrame:
    """topic, doc, run_score of a run in any of the known spellings; a rank counts downwards."""
    column = _find(frame, ("value", *NAMES["run_score"]), "score", name)
    score = as_numbers(frame[column], "score", name)
    made = _named(frame, name).with_columns(run_score=-score if column == "rank" else score)
    faults = [
        Fault("topic", "the topic is missing", made["topic"], made["topic"].fill_null("") == ""),
        Fault("doc", "the doc is missing", made["doc"], made["doc"].fill_null("") == ""),
        Fault("score", "the score must be a number", frame[column], _no_number(score)),
        Fault("duplicate", "listed twice for its topic", made["doc"], _repeated(made)),
    ]
    return sound(made, frame, faults, name, reading)


def qrels_columns(frame: pl.DataFrame, name: str, reading: Reading) -> pl.DataFrame:
    """topic, iteration, doc, grade, inclusion, stratum of judgments in any known spelling."""
    column = _find(frame, ("value", *NAMES["grade"]), "grade", name)
    number = as_numbers(frame[column], "grade", name)
    odd = _no_number(number) | (number != number.floor()) | ~number.is_between(-32768, 32767)
    made = _named(frame, name)
    faults = [
        Fault("topic", "the topic is missing", made["topic"], made["topic"].fill_null("") == ""),
        Fault("doc", "the doc is missing", made["doc"], made["doc"].fill_null("") == ""),
        Fault("grade", "the grade must be a whole number", frame[column], odd.fill_null(True)),
    ]
    second = [known for known in NAMES["iteration"] if known in frame.columns]
    made = made.with_columns(
        grade=number.cast(pl.Int16, strict=False),
        iteration=frame[second[0]].cast(pl.String) if second else pl.lit("0"),
        inclusion=pl.lit(None, pl.Float64),
        stratum=pl.lit(None, pl.Int16),
    )
    for what, dtype in (("inclusion", pl.Float64), ("stratum", pl.Int16)):
        known = next((column for column in NAMES[what] if column in frame.columns), None)
        if known is not None:
            drawn = as_numbers(frame[known], what, name)
            faults.append(drawn_fault(what, drawn, frame[known]))
            made = made.with_columns(drawn.cast(dtype, strict=False).alias(what))
    return sound(made, frame, faults, name, reading)


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
        raise InputError(problems)
    if problems:
        message = f"{int(wrong.sum())} faulty rows were skipped"
        reading.notices.add(name, "warning", "skipped", message)
    return made.filter(~wrong)


def _named(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            what: frame[_find(frame, NAMES[what], what, name)].cast(pl.String)
            for what in ("topic", "doc")
        }
    )


def _find(frame: pl.DataFrame, names: Iterable[str], what: str, name: str) -> str:
    lower = {column.lower(): column for column in frame.columns}
    for known in names:
        if known in lower:
            return lower[known]
    have = ", ".join(column for column in frame.columns if column != "line")
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
