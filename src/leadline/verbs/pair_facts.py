"""What is known of pairs besides their grades: length, where the query's terms stand, when."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.auditing.aspects import NOWHERE
from leadline.auditing.audit_report import PairFacts
from leadline.files.problems import InputError, Progress
from leadline.files.source import read_source
from leadline.formats.format import is_trec
from leadline.formats.frames import to_frame
from leadline.formats.written_table import written_table
from leadline.judging.reading_texts import read_texts
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.pairs import Pairs

TIMES = ("date", "time", "timestamp", "when")
"""Columns that may tell when a label was given."""


def pair_facts(
    pairs: Pairs, pair: Int64s, folder: Path | None, labels: Any, progress: Progress | None
) -> PairFacts:
    """Of these pairs, from the texts of a collection folder and the table of labels."""
    length, position = _in_texts(pairs, pair, folder, progress)
    return PairFacts(length, position, label_times(pairs, labels))


def _in_texts(
    pairs: Pairs, pair: Int64s, folder: Path | None, progress: Progress | None
) -> tuple[Floats | None, Floats | None]:
    """Words of the text, and where the first term of the query stands as a share of its letters."""
    topics, docs = pairs.names(pair)
    texts = read_texts(folder, set(docs), progress)
    if not texts.documents:
        return None, None
    length, position = (np.full(len(pairs), np.nan) for _ in range(2))
    terms = {topic: texts.terms(topic) for topic in set(topics)}
    for at, topic, doc in zip(pair.tolist(), topics, docs, strict=True):
        found = texts.documents.get(doc)
        if found is None:
            continue
        text = f"{found.title} {found.text}".strip()
        length[at] = len(text.split())
        wanted = terms[topic]
        if wanted is not None and text:
            hit = wanted.search(text)
            position[at] = NOWHERE if hit is None else hit.start() / len(text)
    return length, None if np.isnan(position).all() else position


def label_times(pairs: Pairs, labels: Any) -> Floats | None:
    """When each pair was labelled, in seconds; None where the labels do not tell."""
    frame = _table(labels)
    if frame is None or not {"topic", "doc"} <= set(frame.columns):
        return None
    column = next((name for name in TIMES if name in frame.columns), None)
    if column is None:
        return None
    moment = _seconds(frame[column])
    known = frame.select(pl.col("topic", "doc").cast(pl.String)).with_columns(moment=moment)
    known = known.drop_nulls()
    at = pairs.find(known["topic"], known["doc"])
    time = np.full(len(pairs), np.nan)
    time[at[at >= 0]] = known["moment"].to_numpy()[at >= 0]
    return None if np.isnan(time).all() else time


def _table(labels: Any) -> pl.DataFrame | None:
    """Labels as a table with all columns; None where they are no table."""
    if isinstance(labels, str | os.PathLike):
        # What came through a pipe was read, and cannot be read again.
        if not Path(labels).is_file() or is_trec(read_source(labels)):
            return None
        try:
            return written_table(labels)[1]
        except InputError:
            return None
    return to_frame(labels, "labels") if hasattr(type(labels), "columns") else None


def _seconds(column: pl.Series) -> pl.Series:
    """Dates, moments, or numbers, as seconds; null where it is none of these."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64)
    if column.dtype.is_temporal():
        return column.cast(pl.Datetime("us")).dt.timestamp("us") / 1e6
    text = column.cast(pl.String).str.strip_chars().str.replace(r"Z$|[+-]\d\d:?\d\d$", "")
    frame = pl.DataFrame({"text": text.str.replace("T", " ")})
    moment = pl.coalesce(
        pl.col("text").str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False),
        pl.col("text").str.to_datetime("%Y-%m-%d %H:%M", strict=False),
        pl.col("text").str.to_date("%Y-%m-%d", strict=False).cast(pl.Datetime("us")),
    )
    seconds = moment.dt.timestamp("us") / 1e6
    number = pl.col("text").cast(pl.Float64, strict=False)
    return frame.select(pl.coalesce(seconds, number)).to_series()
