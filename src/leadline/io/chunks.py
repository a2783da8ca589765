"""Runs that return chunks of documents, made runs of documents."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from leadline.io.formats import Reading
from leadline.io.inputs import NamedRun
from leadline.io.lines import numbered_lines
from leadline.io.problems import InputError
from leadline.io.source import read_source
from leadline.registry import check_choice

Collapse = Literal["max", "first", "sum"]
SEPARATOR = "#"


def collapsed(
    named: list[NamedRun], collapse: Collapse | None, chunks: Any, reading: Reading
) -> list[NamedRun]:
    """Return the runs with one entry for each document; the same runs without `collapse`.

    `chunks` is what stands between a document and the rest of its chunk's name, or a mapping of
    chunks to documents.
    """
    if collapse is None:
        if chunks is not None:
            raise ValueError("`chunks` says how chunks are named: give `collapse` too")
        return named
    check_choice("collapse", collapse, Collapse)
    document = _documents(SEPARATOR if chunks is None else chunks)
    return [_collapsed(run, collapse, document, reading) for run in named]


def _collapsed(run: NamedRun, collapse: Collapse, document: pl.Expr, reading: Reading) -> NamedRun:
    rows = run.rows(reading)
    n = np.diff(np.append(rows.starts, len(rows)))
    topic = rows.topic.gather(np.repeat(np.arange(len(n)), n)).series
    frame = pl.DataFrame({"topic": topic, "doc": rows.doc.series, "run_score": rows.run_score})
    score = {
        "max": pl.col("run_score").max(),
        "sum": pl.col("run_score").sum(),
        "first": pl.col("run_score").first(),
    }
    made = (
        frame.with_columns(document)
        .group_by("topic", "doc", maintain_order=True)
        .agg(score[collapse])
    )
    message = f"{len(frame):,} chunks are {len(made):,} documents, scored by {collapse}"
    reading.notices.add(run.name, "notice", "collapsed", message)
    return NamedRun(run.name, made)


def _documents(chunks: Any) -> pl.Expr:
    """The document of each chunk."""
    if isinstance(chunks, Mapping):
        return _mapped({str(chunk): str(doc) for chunk, doc in chunks.items()})
    text = os.fspath(chunks)
    if not Path(text).is_file():
        # What follows the last separator is the chunk's own.
        pattern = f"^(.*){re.escape(text)}"
        return pl.col("doc").str.extract(pattern, 1).fill_null(pl.col("doc"))
    mapping: dict[str, str] = {}
    for line, fields in numbered_lines(read_source(text)):
        if len(fields) != 2:
            message = f"expected a chunk and its document, found {len(fields)} fields"
            raise InputError.of(text, "fields", message, line)
        if mapping.setdefault(fields[0], fields[1]) != fields[1]:
            message = f"chunk {fields[0]} has another document on a line before"
            raise InputError.of(text, "conflict", message, line)
    return _mapped(mapping)


def _mapped(mapping: dict[str, str]) -> pl.Expr:
    """Chunks without an entry are documents themselves."""
    return pl.col("doc").replace(mapping)
