"""Tables that users already have: dicts, lists, tuples, pandas, polars, Arrow.

Each becomes a polars frame with the columns that it has, or an InputError that says what was
expected.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from leadline.files.problems import InputError

_PLACES = ((0, "topic"), (1, "doc"))


def to_frame(what: Any, name: str) -> pl.DataFrame:
    """A polars frame of a table, of rows (named tuples, dicts, (topic, doc, value)), or of dicts.

    Nested dicts get topic, doc, value, and subtopic if they are {topic: {subtopic: {doc: value}}};
    {topic: [doc, ...]} gets topic, doc and rank.
    """
    if isinstance(what, pl.LazyFrame):
        return what.collect()
    if isinstance(what, pl.DataFrame):
        return what
    if isinstance(what, Mapping):
        if what and all(hasattr(part, "to_polars") for part in what.values()):
            splits = ", ".join(map(str, what))
            raise InputError.of(name, "columns", f"has several splits: give one of {splits}")
        return from_nested(what, name)
    if isinstance(getattr(what, "frame", None), pl.DataFrame):
        # What a verb gave.
        return pl.DataFrame(what.frame)
    if hasattr(what, "to_polars"):
        # A data set of HuggingFace.
        return pl.DataFrame(what.to_polars())
    if hasattr(what, "column_names"):
        return pl.DataFrame(pl.from_arrow(what))
    if hasattr(what, "columns") and hasattr(what, "__getitem__"):
        # Column by column, since polars' own conversion from pandas needs pyarrow.
        return pl.DataFrame([_series(str(each), what[each].tolist()) for each in what.columns])
    return from_records(what, name)


def from_nested(what: Any, name: str) -> pl.DataFrame:
    """Columns topic, doc and value or rank, and subtopic if there are three levels."""
    expected = "expected {topic: {doc: number}}"
    if not isinstance(what, Mapping):
        raise InputError.of(name, "columns", f"{expected}, found {what!r:.60}")
    filled = (part for part in what.values() if isinstance(part, Mapping) and part)
    # One value tells it for all: a mixture is found to be wrong further on.
    if isinstance(next(iter(next(filled, {}).values()), None), Mapping):
        parts = [
            from_nested({topic: docs}, name).with_columns(subtopic=pl.lit(str(subtopic)))
            for topic, subtopics in what.items()
            for subtopic, docs in (subtopics if isinstance(subtopics, Mapping) else {"": 0}).items()
        ]
        return pl.concat(parts, how="vertical_relaxed")
    rankings = bool(what) and all(isinstance(part, list | tuple) for part in what.values())
    rows: list[tuple[str, str | None, Any]] = []
    for topic, docs in what.items():
        if rankings:
            rows += [(str(topic), *_ranked(doc, at)) for at, doc in enumerate(docs, 1)]
        elif isinstance(docs, Mapping):
            rows += [(str(topic), str(doc), value) for doc, value in docs.items()]
        else:
            message = f"{expected}, found {docs!r:.60} for topic {topic!r:.60}"
            raise InputError.of(name, "columns", message)
    scored = rankings and any(
        isinstance(doc, list | tuple) for part in what.values() for doc in part
    )
    names = [pl.Series(each, [row[at] for row in rows], pl.String) for at, each in _PLACES]
    value = "rank" if rankings and not scored else "value"
    return pl.DataFrame([*names, _series(value, [row[2] for row in rows])])


def _ranked(doc: Any, rank: int) -> tuple[str | None, Any]:
    """A document and its rank, or the score that stands beside it."""
    if isinstance(doc, list | tuple):
        return (str(doc[0]), doc[1]) if len(doc) == 2 else (None, None)
    return (None if doc is None else str(doc)), rank


def from_records(what: Iterable[Any], name: str) -> pl.DataFrame:
    """The columns that rows name, or topic, doc and value of rows of three."""
    rows = list(what)
    if not rows:
        raise InputError.of(name, "empty", "is empty")
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(str(key) for row in rows for key in row))
        return pl.DataFrame([_series(key, [row.get(key) for row in rows]) for key in names])
    fields = getattr(rows[0], "_fields", ("topic", "doc", "value"))
    odd = next((at for at, row in enumerate(rows) if not _is_row(row, len(fields))), None)
    if odd is not None:
        message = (
            f"row {odd + 1}: expected (topic, doc, number), a dict or a named tuple, "
            f"found {rows[odd]!r:.60}"
        )
        raise InputError.of(name, "columns", message)
    columns = zip(*rows, strict=True)
    return pl.DataFrame([_series(key, each) for key, each in zip(fields, columns, strict=True)])


def _is_row(row: Any, n_fields: int) -> bool:
    return isinstance(row, list | tuple) and len(row) == n_fields


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    """Whole numbers, numbers, or whatever else it is as text; null where nothing is."""
    kinds = {type(value) for value in values if value is not None}
    try:
        if kinds <= {int}:
            return pl.Series(name, values, pl.Int64)
        if kinds <= {int, float}:
            return pl.Series(name, [None if v is None else float(v) for v in values], pl.Float64)
    except (OverflowError, TypeError):
        pass
    return pl.Series(name, [_text(value) for value in values], pl.String)


def _text(value: Any) -> str | None:
    return None if value is None or value != value else str(value)
