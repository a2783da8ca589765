"""Runs and judgments from whatever they come as: a file of any format, a table, rows, dicts."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from leadline.io.datasets import is_id, judged_rows, ranked_rows
from leadline.io.formats import Content, FileFormat, Reading, format_of, is_trec
from leadline.io.problems import InputError
from leadline.io.qrels import Qrels
from leadline.io.rows import InParts, Rows
from leadline.io.source import Source, read_source
from leadline.io.trec import TrecQrels, TrecRun


def run_from(what: Any, name: str, reading: Reading) -> Rows:
    """The rows of a run from a path, a table, rows or dicts."""
    if isinstance(what, InParts):
        return what.rows(reading)
    if is_id(what):
        what = ranked_rows(what)
    if isinstance(what, str | os.PathLike):
        source, known = _source(what, "run")
        return (known or TrecRun()).read_run(source, reading)
    from leadline.io.tabular import run_columns, to_frame

    return Rows.of_frame(run_columns(to_frame(what, name), name, reading))


def qrels_from(what: Any, reading: Reading) -> Qrels:
    """Judgments from a path, a table, rows or dicts."""
    if is_id(what):
        what = judged_rows(what)
    if isinstance(what, str | os.PathLike):
        source, known = _source(what, "qrels")
        return (known or TrecQrels()).read_qrels(source, reading)
    from leadline.io.normalised_qrels import normalise_qrels
    from leadline.io.tabular import qrels_columns, to_frame

    if not is_table(what) and not isinstance(what, Iterable):
        raise InputError.of("qrels", "qrels", f"judgments must be a path or a table, not {what!r}")
    frame = qrels_columns(to_frame(what, "qrels"), "qrels", reading)
    return normalise_qrels(frame, "qrels", reading)


def _source(path: str | os.PathLike[str], content: Content) -> tuple[Source, FileFormat | None]:
    """A file, and its format unless it is TREC's."""
    source = read_source(path)
    # Only others are looked for in the registry, because that loads polars.
    return source, None if is_trec(source) else format_of(source, content)


def is_table(what: Any) -> bool:
    """Whether it is a table or nested dict rather than a path or rows."""
    # Of the class, because a lazy frame warns when it is asked for its own.
    kind = type(what)
    return isinstance(what, Mapping) or hasattr(kind, "columns") or hasattr(kind, "column_names")


def is_one_run(what: Any) -> bool:
    """Whether a mapping or a list is one run, and not several."""
    if isinstance(what, Mapping):
        return all(_is_list(part) for part in what.values())
    return bool(what) and all(_is_row(row) for row in what)


def _is_list(part: Any) -> bool:
    """Documents of a topic: with scores, or in their order."""
    if isinstance(part, Mapping):
        return not any(isinstance(value, Mapping | list | tuple) for value in part.values())
    return isinstance(part, list | tuple) and all(
        isinstance(doc, str) or (_is_row(doc) and len(doc) == 2) for doc in part
    )


def _is_row(row: Any) -> bool:
    """A named tuple, a dict of plain values that are not all numbers, or (topic, doc, number)."""
    if isinstance(row, Mapping):
        return any(isinstance(value, str) for value in row.values())
    if hasattr(row, "_fields"):
        return True
    return isinstance(row, list | tuple) and len(row) in (2, 3) and isinstance(row[-1], int | float)
