"""Pools as `leadline pool` writes them: columns topic, doc, stratum, inclusion.

A column drawn may follow: false where chance left a pair out. A pool that is drawn in batches has
batch, the number of the one in which a pair was drawn, and expected, the gain that was expected of
it then. With the pairs that were not drawn, probabilities and predictions have the probability and
the predicted gain of a pair in each batch in which it was open, and planned the number of
judgments that was planned.
"""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from leadline.data.arrays import Int32s, Int64s
from leadline.data.pairs import Pairs
from leadline.data.pool import Pool, SamplingRecord
from leadline.io.formats import Reading
from leadline.io.problems import InputError
from leadline.io.qrels import Qrels
from leadline.io.score_table import written_table
from leadline.io.tabular import (
    Fault,
    as_names,
    as_numbers,
    drawn_fault,
    name_faults,
    sound,
    to_frame,
)

PoolInput = str | os.PathLike[str] | pl.DataFrame | Any
"""A file, or any table with topic and doc, such as `leadline.pool` gives."""
SCHEMA = {"topic": pl.String, "doc": pl.String, "stratum": pl.Int16, "inclusion": pl.Float64}
BATCH_SCHEMA = {"batch": pl.Int16, "expected": pl.Float64}
RECORD_COLUMNS = ("probabilities", "predictions", "planned")
"""What was fixed before each batch: numbers with spaces between them, one for each batch."""
MOST_BATCHES = 32767


@dataclass(frozen=True, eq=False)
class PoolTable:
    """A pool that was read, and the name by which messages call it: a pipe is read only once."""

    name: str
    frame: pl.DataFrame

    @classmethod
    def of(cls, what: PoolInput) -> "PoolTable":
        """The pool that a user points at."""
        name = os.fspath(what) if isinstance(what, str | os.PathLike) else "pool"
        return cls(name, pool_from(what))


def pool_from(what: PoolInput) -> pl.DataFrame:
    """Columns topic, doc, stratum, inclusion, drawn, and batch and expected where they are."""
    if isinstance(what, str | os.PathLike):
        name, frame = written_table(what)
        return as_pool(frame, name)
    return as_pool(to_frame(what, "pool"))


def as_pool(frame: pl.DataFrame, name: str = "pool") -> pl.DataFrame:
    """The columns of `pool_from` from a table with the first two at least."""
    missing = [column for column in ("topic", "doc") if column not in frame.columns]
    if missing:
        message = f"is no pool: it has no column {missing[0]}; expected {', '.join(SCHEMA)}"
        raise InputError.of(name, "pool", message)
    made = pl.DataFrame({what: as_names(frame, what, name) for what in ("topic", "doc")})
    faults = name_faults(made)
    for what, default in (("stratum", 0), ("inclusion", 1.0)):
        number = pl.repeat(default, len(frame), dtype=pl.Float64, eager=True)
        if what in frame.columns:
            number = as_numbers(frame[what], what, name)
            faults.append(drawn_fault(what, number, frame[what]))
        made = made.with_columns(number.cast(SCHEMA[what], strict=False).alias(what))
    drawn = pl.repeat(True, len(frame), eager=True)
    if "drawn" in frame.columns:
        word = frame["drawn"].cast(pl.String).str.to_lowercase()
        drawn = word == "true"
        bad = ~word.is_in(["true", "false"]).fill_null(False)
        faults.append(Fault("pool", "drawn must be true or false", frame["drawn"], bad))
    for what in BATCH_SCHEMA if "batch" in frame.columns else ():
        number = pl.repeat(None, len(frame), dtype=pl.Float64, eager=True)
        if what in frame.columns:
            empty = frame[what].dtype == pl.Null
            number = number if empty else as_numbers(frame[what], what, name)
        if what == "batch":
            whole = (number == number.round()) & number.is_between(0, MOST_BATCHES)
            bad = ~whole.fill_null(False)
            message = f"batch must be a whole number from 0 to {MOST_BATCHES:,}"
            faults.append(Fault("pool", message, frame["batch"], bad))
        made = made.with_columns(number.cast(BATCH_SCHEMA[what], strict=False).alias(what))
    made = made.with_columns(drawn=drawn)
    if set(RECORD_COLUMNS) <= set(frame.columns):
        made = made.with_columns(frame[what].cast(pl.String) for what in RECORD_COLUMNS)
    told = "another stratum, inclusion or drawn than a row before has for the doc"
    faults.append(Fault("conflict", told, made["doc"], _contradicts(made)))
    made = sound(made, frame, faults, name, Reading())
    return made.unique(["topic", "doc"], keep="first", maintain_order=True)


def _contradicts(made: pl.DataFrame) -> pl.Series:
    """Rows that say something new of a pair that came before."""
    new = pl.struct(pl.all()).is_first_distinct()
    return made.select(new & ~pl.struct("topic", "doc").is_first_distinct()).to_series()


def restrict(qrels: Qrels, pool: pl.DataFrame) -> Qrels:
    """Only the judgments of what was drawn; all else in the pool is pooled but unjudged."""
    known = qrels.frame.select("topic", "doc", "grade")
    frame = pool.join(known, on=["topic", "doc"], how="left", maintain_order="left")
    frame = frame.with_columns(grade=pl.when("drawn").then("grade"))
    if frame["grade"].null_count() == len(frame):
        raise InputError.of(qrels.name, "pool", "has no judgment inside the pool")
    return qrels.keep(frame.select("topic", "doc", "grade", "inclusion", "stratum"))


def pool_over(pairs: Pairs, what: PoolTable | PoolInput) -> Pool:
    """The pool over these pairs; what it names and nobody returned is not among them."""
    table = what if isinstance(what, PoolTable) else PoolTable.of(what)
    name, frame = table.name, table.frame
    at = pairs.find(frame["topic"], frame["doc"])
    frame, at = frame.filter(pl.Series(at >= 0)), at[at >= 0]
    if not len(at):
        raise InputError.of(name, "pool", "holds no document of these runs and topics")
    member, inclusion = np.zeros(len(pairs), np.bool_), np.zeros(len(pairs))
    stratum = np.full(len(pairs), -1, np.int16)
    member[at] = frame["drawn"].to_numpy()
    inclusion[at] = frame["inclusion"].to_numpy()
    stratum[at] = frame["stratum"].to_numpy()
    if "batch" not in frame.columns:
        return Pool(pairs, member, inclusion, stratum, name)
    batch, expected = np.zeros(len(pairs), np.int16), np.full(len(pairs), np.nan)
    batch[at] = frame["batch"].to_numpy()
    expected[at] = frame["expected"].fill_null(np.nan).to_numpy()
    record = _record(frame, at, name)
    return Pool(
        pairs, member, inclusion, stratum, name, batch=batch, expected=expected, record=record
    )


def _record(frame: pl.DataFrame, at: Int32s | Int64s, name: str) -> SamplingRecord | None:
    """Return what was fixed before each batch, where the file has it for all pairs."""
    if not set(RECORD_COLUMNS) <= set(frame.columns) or frame["drawn"].all():
        return None
    order = np.argsort(at, kind="stable")
    frame = frame[order]
    n_batches = max(1, int(frame["batch"].max() or 0))  # type: ignore[arg-type]
    tables = []
    for what in RECORD_COLUMNS[:2]:
        cells = frame[what].str.split(" ").list.eval(pl.element().cast(pl.Float64, strict=False))
        table = np.zeros((len(frame), n_batches))
        expected = np.where(frame["drawn"], frame["batch"], n_batches)
        number = cells.list.len().fill_null(0).cast(pl.Int64).to_numpy()
        bad = (number != expected) | cells.list.eval(pl.element().is_null()).list.any().to_numpy()
        if bad.any():
            topic, doc = frame.select("topic", "doc").row(int(np.flatnonzero(bad)[0]))
            message = f"{what} of {doc} of topic {topic} are not one number for each batch"
            raise InputError.of(name, "pool", message)
        row = np.repeat(np.arange(len(frame)), number)
        first = np.repeat(np.cumsum(number) - number, number)
        table[row, np.arange(len(row)) - first] = cells.explode().to_numpy()
        tables.append(table.T)
    planned = int(float(frame["planned"][0] or 0))
    batch = np.where(frame["drawn"], frame["batch"], 0)
    return SamplingRecord(at[order].astype(np.int64), batch, tables[0], tables[1], planned)


def drawn_in_batches(pool: Pool | PoolTable) -> bool:
    """Whether a pool was drawn in batches, from all topics of the runs, judged already or not."""
    if isinstance(pool, Pool):
        return pool.batch is not None
    return "batch" in pool.frame.columns


def with_record(frame: pl.DataFrame, record: SamplingRecord, members: Int64s) -> pl.DataFrame:
    """Add the columns RECORD_COLUMNS to the rows of these pairs."""
    at = np.searchsorted(record.pair, members)
    number = np.where(record.batch > 0, record.batch, record.n_batches)
    columns = {}
    for what, table in (
        ("probabilities", record.probability),
        ("predictions", record.prediction),
    ):
        columns[what] = [
            " ".join(map(repr, table[:n, row].tolist()))
            for row, n in zip(at.tolist(), number[at].tolist(), strict=True)
        ]
    return frame.with_columns(
        *(pl.Series(what, cells, pl.String) for what, cells in columns.items()),
        planned=pl.lit(record.planned),
    )
