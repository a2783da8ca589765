"""Data sets of the package ir_datasets by their id: judgments, runs, topics and documents.

`ir_datasets:beir/scifact/test` stands for what that data set has, wherever a file may stand. The
package is needed then, and downloads what it has not yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from leadline.io.problems import InputError

if TYPE_CHECKING:
    import polars as pl


COLLECTION = Path(__file__).parents[1] / "demo" / "collection"
"""A small collection written for this project: 210 documents about the sea, 20 topics, 24 runs."""

PREFIX = "ir_datasets:"


def is_id(what: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether this names a data set rather than a file."""
    return isinstance(what, str | os.PathLike) and os.fspath(what).startswith(PREFIX)


def load_id(name: str | os.PathLike[str], what: str) -> Any:
    """The data set of an id, which must have qrels, scoreddocs, queries or docs, as asked for."""
    text = os.fspath(name)
    try:
        import ir_datasets
    except ImportError:
        message = "needs the package ir_datasets: pip install 'leadline[datasets]'"
        raise InputError.of(text, "missing", message) from None
    try:
        found = ir_datasets.load(text.removeprefix(PREFIX))
    except KeyError:
        raise InputError.of(text, "missing", "ir_datasets knows no such data set") from None
    if not getattr(found, f"has_{what}")():
        have = [kind for kind in ("qrels", "queries", "docs") if getattr(found, f"has_{kind}")()]
        message = f"has no {what}, only {', '.join(have) or 'nothing of use'}"
        raise InputError.of(text, "missing", message)
    return found


def judged_rows(name: str | os.PathLike[str]) -> pl.DataFrame:
    """Columns topic, iteration, doc and grade of a data set's judgments."""
    import polars as pl

    rows = [
        (qrel.query_id, getattr(qrel, "iteration", "0"), qrel.doc_id, qrel.relevance)
        for qrel in load_id(name, "qrels").qrels_iter()
    ]
    names = ("topic", "iteration", "doc", "grade")
    return pl.DataFrame(rows, schema=names, orient="row")


def ranked_rows(name: str | os.PathLike[str]) -> pl.DataFrame:
    """Columns topic, doc and score of the run that comes with a data set."""
    import polars as pl

    docs = load_id(name, "scoreddocs").scoreddocs_iter()
    rows = [(doc.query_id, doc.doc_id, doc.score) for doc in docs]
    return pl.DataFrame(rows, schema=("topic", "doc", "score"), orient="row")


def queries_of(name: str | os.PathLike[str]) -> Iterator[tuple[str, str, str]]:
    """Topic, query and description of a data set's queries."""
    for query in load_id(name, "queries").queries_iter():
        title = getattr(query, "title", None)
        text = title or query.default_text()
        yield query.query_id, text, getattr(query, "description", "") if title else ""
