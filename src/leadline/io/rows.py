"""The rows of runs as they were read, and the order of a list settled by one rule.

`score`: score descending, compared as 32-bit floats; equal scores by docno descending, byte by
byte: as trec_eval up to version 9 and everything built on it. `float64`: the same with 64-bit
floats, as trec_eval 10. `file-order`: the order of the file. The rank column is never looked at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.names import Keys, Names
from leadline.io.problems import Notices

if TYPE_CHECKING:
    import polars as pl

    from leadline.io.formats import Reading


_ONE = np.zeros(1, np.int64)
_STRETCH = 1 << 12
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Multiples of it spread over all 64 bits."""


def topic_keys(topic: Names) -> Keys:
    """64 bits for each topic; what they find is verified by name."""
    return topic.keys(1)


def doc_keys(doc: Names) -> Keys:
    """64 bits for each document; those of a pair are these and its topic's, by exclusive or."""
    return doc.keys(2)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows in the order of the file, or of several files one after the other.

    `starts` are the rows whose run or topic is not that of the row before; each begins a stretch,
    for which there is one `topic` and one `topic_key`. `run_start` holds the first row of each run.
    """

    starts: Int64s
    topic: Names
    topic_key: Keys
    doc: Names
    run_score: Floats
    pair_key: Keys
    run_start: Int64s

    @classmethod
    def of(cls, topic: Names, doc: Names, score: Floats, run_start: Int64s = _ONE) -> Rows:
        """From columns with one entry a row."""
        new = topic.changed()
        new[run_start[: len(new)]] = True
        starts = np.flatnonzero(new)
        topic = topic.gather(starts)
        key = topic_keys(topic)
        pair_key = doc_keys(doc)
        pair_key ^= np.repeat(key, np.diff(np.append(starts, len(score))))
        return cls(starts, topic, key, doc, score, pair_key, run_start)

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> Rows:
        """From a table with topic, doc and run_score, of one run."""
        topic, doc = (Names.of(frame[name]) for name in ("topic", "doc"))
        return cls.of(topic, doc, frame["run_score"].to_numpy())

    @staticmethod
    def nothing() -> Rows:
        """No rows at all."""
        none = Names.of([])
        return Rows.of(none, none, np.zeros(0))

    def __len__(self) -> int:
        return len(self.run_score)

    def run_of(self, row: Int64s) -> Int64s:
        """The number of the run that each row belongs to."""
        return np.searchsorted(self.run_start, row, side="right") - 1

    def stretch_of(self, row: Int64s) -> Int64s:
        """The number of the stretch that each row belongs to."""
        return np.searchsorted(self.starts, row, side="right") - 1

    @cached_property
    def topics(self) -> tuple[list[str], Int64s]:
        """The distinct topics by name, and the number among them of each stretch's."""
        if not has_equals(self.topic_key):
            return self.topic.to_list(), np.arange(len(self.starts))
        _, first, number = np.unique(self.topic_key, return_index=True, return_inverse=True)
        if self.topic.equals(self.topic.gather(first[number])).all():
            return self.topic.gather(first).to_list(), number
        # Two names share a key, so only the names themselves tell them apart.
        names = self.topic.to_list()
        place = {name: at for at, name in enumerate(dict.fromkeys(names))}
        return list(place), np.array([place[name] for name in names], np.int64)

    @cached_property
    def list_number(self) -> Int64s:
        """A number for run and topic of each stretch."""
        names, number = self.topics
        return self.run_of(self.starts) * len(names) + number

    def only(self, keep: Bools) -> Rows:
        """Some of the rows of one run."""
        row = np.flatnonzero(keep)
        topic = self.topic.gather(self.stretch_of(row))
        return Rows.of(topic, self.doc.gather(row), self.run_score[row])

    def repeats(self) -> dict[int, int]:
        """Rows of one run whose document came before in its list, each with the first such row."""
        order = np.argsort(self.pair_key, kind="stable")
        key = self.pair_key[order]
        alike = np.zeros(len(key), np.bool_)
        alike[1:] = key[1:] == key[:-1]
        alike[:-1] |= alike[1:]
        row = np.sort(order[alike])
        topics = self.topic.gather(self.stretch_of(row)).to_list()
        first: dict[tuple[str, str], int] = {}
        # By name, since names that differ may share a key.
        pairs = zip(topics, self.doc.gather(row).to_list(), row.tolist(), strict=True)
        seen = {at: first.setdefault((topic, doc), at) for topic, doc, at in pairs}
        return {at: before for at, before in seen.items() if at != before}

    def are_sound(self) -> bool:
        """Every score is a number and no list holds a document twice."""
        return not np.isnan(self.run_score).any() and not self._repeat()

    def _repeat(self) -> bool:
        """Whether some pair comes twice in a run.

        Equal keys have equal topics, so stretches of whole topics, small enough for the cache, are
        sorted one by one; only if a topic's rows are scattered must all be looked at together.
        """
        start, key = self.starts, self.pair_key
        if len(self.run_start) > 1:
            apart = self.run_of(self.starts).astype(np.uint64) * _ODD
            key = key ^ np.repeat(apart, np.diff(np.append(self.starts, len(key))))
        if has_equals(self.list_number):
            return has_equals(key)
        wanted = np.arange(0, len(key), _STRETCH)
        cuts = start[np.searchsorted(start, wanted, side="right") - 1]
        ends = np.append(cuts[1:], len(key))
        stretches = zip(cuts.tolist(), ends.tolist(), strict=True)
        # Half of the bits sort in half of the time, and are seldom equal where all are not.
        half = key.astype(np.uint32)
        return any(
            has_equals(half[first:last]) and has_equals(key[first:last])
            for first, last in stretches
        )


def has_equals(key: Keys | Int64s | npt.NDArray[np.uint32]) -> bool:
    """Whether a value comes twice; numpy's own `unique` takes longer to import than this does."""
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())


Array = TypeVar("Array", bound=np.ndarray[Any, Any])
Ties = Literal["float32", "float64", "file-order"]


Floats32 = npt.NDArray[np.float32]
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows in rank order, list after list: list i stands at start[i] to stop[i].

    `row` is the order of the rows, None where the file's own order is right but for ties; the row
    at position `tied[j]` is then `settled[j]`. `n_ties` counts neighbours with equal scores,
    `made` are rows whose score equals the next one's only as a 32-bit float.
    """

    start: Int64s
    stop: Int64s
    row: Int64s | None = None
    tied: Int64s = field(default_factory=lambda: _NONE)
    settled: Int64s = field(default_factory=lambda: _NONE)
    n_ties: int = 0
    made: Int64s = field(default_factory=lambda: _NONE)

    def first_row(self) -> Int64s:
        """A row of each list, whichever, to tell its topic by."""
        return self.start if self.row is None else self.row[self.start]

    def arrange(self, array: Array) -> Array:
        """A column of the run's rows in rank order."""
        arranged: Any = array if self.row is None else array[self.row]
        if len(self.tied):
            # From the rows, not in place: they are permuted among themselves.
            arranged = arranged.copy() if self.row is None else arranged
            arranged[self.tied] = array[self.settled]
        return cast(Array, arranged)


def rank(rows: Rows, ties: Ties = "float32") -> Ranking:
    """The lists of the runs."""
    key, start = rows.list_number, rows.starts
    row = None
    if has_equals(key):
        distinct, first = np.unique(key, return_index=True)
        # A topic's lines are scattered: number topics by first appearance and bring them together.
        number = np.argsort(np.argsort(first))
        stretch = number[np.searchsorted(distinct, key)]
        topic = np.repeat(stretch, np.diff(np.append(start, len(rows))))
        row = np.argsort(topic, kind="stable")
        start = np.searchsorted(topic[row], np.arange(len(distinct)))
    stop = np.append(start, len(rows))[1:]
    if ties == "file-order":
        return Ranking(start, stop, row)
    compared: Floats32 | Floats = rows.run_score
    if ties == "float32":
        with np.errstate(over="ignore"):
            compared = rows.run_score.astype(np.float32)
    return _by_score(rows.doc, rows.run_score, compared, row, (start, stop))


def _by_score(
    doc: Names,
    score: Floats,
    compared: Floats32 | Floats,
    row: Int64s | None,
    lists: tuple[Int64s, Int64s],
) -> Ranking:
    """Rows by falling score within each list, ties by falling docno."""
    start = lists[0]
    ordered = compared if row is None else compared[row]
    rises = ordered[1:] > ordered[:-1]
    # Between the last row of a list and the first of the next nothing is compared.
    border = start[1:] - 1
    rises[border] = False
    if rises.any():
        number = np.zeros(len(score), np.int64)
        number[start[1:]] = 1
        order = np.lexsort((-ordered, np.cumsum(number)))
        row = order if row is None else row[order]
        ordered = compared[row]
    equal = ordered[1:] == ordered[:-1]
    equal[border] = False
    upper = np.flatnonzero(equal)
    if not len(upper):
        return Ranking(*lists, row)
    is_tied = np.zeros(len(score), np.bool_)
    is_tied[upper] = is_tied[upper + 1] = True
    tied = np.flatnonzero(is_tied)
    rows = tied if row is None else row[tied]
    stretch = np.cumsum((tied == 0) | ~equal[tied - 1])
    settled = rows[doc.gather(rows).falling(stretch)]
    above, below = (upper, upper + 1) if row is None else (row[upper], row[upper + 1])
    made = above[score[above] != score[below]]
    return Ranking(*lists, row, tied, settled, len(upper), made)


def note_float32_ties(n_ties: dict[str, int], notices: Notices) -> None:
    """Note once for all runs how many ties exist only in 32-bit precision."""
    if not n_ties:
        return
    runs = ", ".join([*list(n_ties)[:3], *(["..."] if len(n_ties) > 3 else [])])
    where = "" if len(n_ties) == 1 else f" of {len(n_ties)} runs ({runs})"
    message = (
        f"{sum(n_ties.values()):,} ties{where} after rounding scores to 32 bits, as in trec_eval "
        "9; `ties` float64 compares full precision"
    )
    notices.add(runs if len(n_ties) == 1 else "", "detail", "made-ties", message)


ROWS = 1 << 18
"""Rows that are read at a time by default."""


class InParts(ABC):
    """A run whose rows come in frames with the columns topic, doc and run_score."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Bytes, roughly those of its content as text."""

    @abstractmethod
    def frames(self, rows: int = ROWS) -> Iterator[pl.DataFrame]:
        """All of it, each topic whole in one frame of about so many rows."""

    @abstractmethod
    def rows(self, reading: Reading) -> Rows:
        """All of it at once; an InputError tells what is wrong, by file and row."""
