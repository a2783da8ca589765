"""Pools as `leadline pool` writes them: csv with topic, doc, stratum, inclusion."""

import io
import os

import numpy as np
import polars as pl

from leadline.data.judgments import Judgments
from leadline.formats.problems import InputError
from leadline.formats.qrels import Qrels
from leadline.formats.text import check_text, read_source

SCHEMA = {"topic": pl.String, "doc": pl.String, "stratum": pl.Int16, "inclusion": pl.Float64}


def read_pool(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Columns topic, doc, stratum, inclusion."""
    source = read_source(path)
    check_text(source)
    try:
        frame = pl.read_csv(io.BytesIO(source.data), schema_overrides=SCHEMA)
    except pl.exceptions.PolarsError as error:
        raise InputError.of(
            source.name, "pool", f"is no pool: {str(error).splitlines()[0]}"
        ) from None
    return as_pool(frame, source.name)


def as_pool(frame: pl.DataFrame, name: str = "pool") -> pl.DataFrame:
    """Columns topic, doc, stratum, inclusion from a table with the first two at least."""
    missing = [column for column in ("topic", "doc") if column not in frame.columns]
    if missing:
        message = f"is no pool: it has no column {missing[0]}; expected {', '.join(SCHEMA)}"
        raise InputError.of(name, "pool", message)
    for column, default in (("stratum", 0), ("inclusion", 1.0)):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(default).alias(column))
    chosen = frame.select(pl.col(column).cast(dtype) for column, dtype in SCHEMA.items())
    return chosen.unique(["topic", "doc"], keep="first", maintain_order=True)


def restrict(qrels: Qrels, pool: pl.DataFrame) -> Qrels:
    """Only the judgments inside the pool; members without one are pooled but unjudged."""
    known = qrels.frame.select("topic", "doc", "grade")
    frame = pool.join(known, on=["topic", "doc"], how="left", maintain_order="left")
    if frame["grade"].null_count() == len(frame):
        raise InputError.of(qrels.name, "pool", "has no judgment inside the pool")
    return qrels.keep(frame.select("topic", "doc", "grade", "inclusion"))


def restrict_table(judgments: Judgments, pool: pl.DataFrame) -> Judgments:
    """The same of judgments by pair; what the pool names and nobody returned is not among them."""
    at = judgments.pairs.find(pool["topic"], pool["doc"])
    inside, inclusion = np.zeros(len(judgments.pairs), np.bool_), np.zeros(len(judgments.pairs))
    inside[at[at >= 0]] = True
    inclusion[at[at >= 0]] = pool["inclusion"].to_numpy()[at >= 0]
    judged = judgments.judged & inside
    if not judged.any():
        raise InputError.of("", "pool", "there is no judgment inside the pool")
    grade = np.where(judged, judgments.grade, 0)
    top = judgments.max_grade
    return Judgments(judgments.pairs, judged, grade, inside, inclusion, max_grade=top)
