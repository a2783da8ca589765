"""Tables that users already have: dicts, pandas, polars, Arrow, ir_measures' tuples; JSON, Parquet.

Each becomes a polars frame with our column names, or an InputError that says which column is
missing or which row is wrong.
"""

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from leadline.formats.problems import InputError
from leadline.formats.text import Source

NAMES = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "query"),
    "doc": ("doc", "docno", "doc_id", "docid", "corpus-id", "corpus_id", "document_id"),
    "run_score": ("run_score", "score", "sim", "rank"),
    "grade": ("grade", "label", "relevance", "rel", "score"),
    "inclusion": ("inclusion",),
    "iteration": ("iteration", "iter", "subtopic", "subtopic_id"),
}
"""Our column names and how others call them, best first."""


def is_table(what: object) -> bool:
    """Whether this is a table or nested dict rather than a path."""
    return isinstance(what, Mapping) or hasattr(what, "columns") or hasattr(what, "column_names")


def to_frame(what: Any, name: str) -> pl.DataFrame:
    """A polars frame with the columns that the object has; nested dicts get topic, doc, value."""
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
    head = next(source.chunks(1 << 12), b"").lstrip(b"\xef\xbb\xbf \t\r\n")
    try:
        if head[:4] == b"PAR1":
            return pl.read_parquet(io.BytesIO(source.data))
        if head[:1] == b"{":
            return _from_json(source)
        first = head.split(b"\n")[0].strip().decode("utf-8", "replace")
        for separator in ("\t", ","):
            if set(first.split(separator)) & set(NAMES["topic"]) and separator in first:
                return pl.read_csv(io.BytesIO(source.data), separator=separator, infer_schema=False)
    except (pl.exceptions.PolarsError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = str(error).splitlines()[0]
        raise InputError.of(source.name, "format", f"cannot be read: {reason}") from None
    return None


def _from_json(source: Source) -> pl.DataFrame:
    text = source.data.decode("utf-8-sig")
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise InputError.of(
                source.name, "format", f"is no JSON: {error.msg}", error.lineno
            ) from None
    else:
        if all(isinstance(inner, dict) for inner in whole.values()):
            return _from_nested(whole, source.name)
    return pl.read_ndjson(io.StringIO(text).read().encode(), infer_schema_length=None)


def run_columns(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """topic, doc, run_score of a run in any of the known spellings; a rank counts downwards."""
    topic, doc = _text(frame, "topic", name), _text(frame, "doc", name)
    column = _find(frame, ("value", *NAMES["run_score"]), "score", name)
    score = _numbers(frame[column], "score", name)
    if column == "rank":
        score = -score
    bad = score.is_null() | score.is_nan()
    if bad.any():
        _row_error(name, "score", "the score must be a number", frame[column], bad)
    made = pl.DataFrame({"topic": topic, "doc": doc, "run_score": score})
    _once(made, name)
    return made


def qrels_columns(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """topic, iteration, doc, grade, inclusion of judgments in any of the known spellings."""
    topic, doc = _text(frame, "topic", name), _text(frame, "doc", name)
    column = _find(frame, ("value", *NAMES["grade"]), "grade", name)
    number = _numbers(frame[column], "grade", name)
    bad = number.is_null() | number.is_nan() | (number != number.floor())
    bad |= ~number.is_between(-32768, 32767)
    if bad.any():
        _row_error(name, "grade", "the grade must be a whole number", frame[column], bad)
    others = {}
    for ours, dtype in (("iteration", pl.String), ("inclusion", pl.Float64)):
        known = [known for known in NAMES[ours] if known in frame.columns]
        default = "0" if ours == "iteration" else None
        others[ours] = (
            frame[known[0]].cast(dtype)
            if known
            else pl.repeat(default, len(frame), dtype=dtype, eager=True)
        )
    return pl.DataFrame({"topic": topic, "doc": doc, "grade": number.cast(pl.Int16), **others})


def _find(frame: pl.DataFrame, names: Iterable[str], what: str, name: str) -> str:
    lower = {column.lower(): column for column in frame.columns}
    for known in names:
        if known in lower:
            return lower[known]
    have = ", ".join(frame.columns)
    message = f"has no column for the {what} (one of {', '.join(names)}); its columns are {have}"
    raise InputError.of(name, "columns", message)


def _text(frame: pl.DataFrame, what: str, name: str) -> pl.Series:
    column = frame[_find(frame, NAMES[what], what, name)]
    if len(column) == 0:
        raise InputError.of(name, "empty", "is empty")
    text = column.cast(pl.String)
    bad = text.is_null() | (text == "")
    if bad.any():
        _row_error(name, what, f"the {what} is missing", column, bad)
    return text


def _numbers(column: pl.Series, what: str, name: str) -> pl.Series:
    if column.dtype == pl.String:
        from leadline.formats.fields import INFINITE, NUMBER

        fine = column.str.contains(NUMBER) | column.str.contains(INFINITE)
        if not fine.fill_null(False).all():
            bad = ~fine.fill_null(False)
            _row_error(name, what, f"the {what} must be a number", column, bad)
        return column.str.to_lowercase().cast(pl.Float64)
    if not column.dtype.is_numeric():
        raise InputError.of(name, what, f"the {what} must be a number, found {column.dtype}")
    return column.cast(pl.Float64)


def _row_error(name: str, code: str, message: str, column: pl.Series, bad: pl.Series) -> None:
    row = int(bad.arg_true()[0])
    more = int(bad.sum()) - 1
    also = f" (and {more} more rows)" if more else ""
    raise InputError.of(name, code, f"row {row + 1}: {message}, found {column[row]!r}{also}")


def _once(frame: pl.DataFrame, name: str) -> None:
    twice = frame.filter(frame.select("topic", "doc").is_duplicated())
    if len(twice):
        topic, doc, _ = twice.row(0)
        message = f"doc {doc} is listed twice for topic {topic}. Keep one of the two"
        raise InputError.of(name, "duplicate", message)
