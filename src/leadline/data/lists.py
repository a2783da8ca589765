"""What a measure sees: ranked lists with, for every entry, whether it was judged and its grade."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.data.arrays import Bools, Int16s, Int32s, Int64s, check_slices, freeze
from leadline.data.sampling import Sampling

if TYPE_CHECKING:
    from leadline.data.documents import Documents
    from leadline.data.judgments import Judgments
    from leadline.data.runs import Runs
    from leadline.data.subtopics import SubtopicGrades


CELLS = 1 << 17
"""Cells in a block: small enough that the temporaries of a measure stay in the cache."""


def cells_of(mask: Bools) -> tuple[Int64s, Int64s]:
    """Row and column of the cells in a mask: as `np.nonzero`, in a tenth of the time."""
    row, column = np.divmod(np.flatnonzero(mask), max(1, mask.shape[1]))
    return row, column


@dataclass(frozen=True, eq=False)
class Block:
    """Some lists of similar length as a matrix, one row a list, padded with unlisted cells.

    `row` is the position of each list in the flattened (run, topic) grid. `entry`, where the lists
    have a sampling, is the row of each cell in it, -1 for none.
    """

    row: Int64s
    topic: Int64s
    length: Int64s
    judged: Bools
    grade: Int16s
    pooled: Bools
    counts: Int64s
    entry: Int32s | None = None

    @cached_property
    def rank(self) -> Int64s:
        """1, 2, ... for the columns."""
        return np.arange(1, self.judged.shape[1] + 1)

    @cached_property
    def listed(self) -> Bools:
        """Cells that hold a document."""
        inside: Bools = self.rank <= self.length[:, None]
        return inside

    @cached_property
    def unjudged(self) -> Bools:
        """Cells that hold a document that nobody judged."""
        full = bool((self.length == self.judged.shape[1]).all())
        open_: Bools = ~self.judged if full else self.listed & ~self.judged
        return open_

    @cached_property
    def cells(self) -> tuple[Int64s, Int64s, Int16s]:
        """Row, column and grade of the judged cells, row by row: often they are few."""
        row, column = cells_of(self.judged)
        return row, column, self.grade[row, column]

    @cached_property
    def n_judged(self) -> Int64s:
        """Judged cells of each list."""
        count: Int64s = np.bincount(self.cells[0], minlength=len(self.length))
        return count

    @property
    def n_unjudged(self) -> Int64s:
        """Cells of each list that hold a document that nobody judged."""
        open_: Int64s = self.length - self.n_judged
        return open_

    def n_found(self, rel: int) -> Int64s:
        """Cells of each list judged with at least that grade."""
        row, _, grade = self.cells
        count: Int64s = np.bincount(row[grade >= rel], minlength=len(self.length))
        return count

    def relevant(self, rel: int) -> Bools:
        """Cells judged with at least that grade."""
        mask: Bools = self.grade >= rel
        return mask

    def n_relevant(self, rel: int) -> Int64s:
        """Documents of each list's topic judged with at least that grade, listed or not."""
        total: Int64s = self.counts[:, rel:].sum(axis=1)
        return total


@dataclass(frozen=True, eq=False)
class Lists:
    """List (run, topic) holds the entries start[run, topic] to stop[run, topic], best first.

    `counts[topic, grade]` is the number of judged documents, whether or not a run returns them;
    `counts[run, topic, grade]` where each run is seen by judgments of its own. Only for measures
    that need them: `in_subtopics` is the number of each entry in `subtopics`, -1 where it was not
    judged, `in_documents` its number in `documents`; `sampling` tells how documents were drawn,
    `entry` is its row for each entry of the lists, -1 where it has none.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    start: Int64s
    stop: Int64s
    judged: Bools
    grade: Int16s
    counts: Int64s
    max_grade: int
    pooled: Bools | None = None
    entry: Int32s | None = None
    sampling: Sampling | None = None
    subtopics: SubtopicGrades | None = None
    in_subtopics: Int32s | None = None
    documents: Documents | None = None
    in_documents: Int32s | None = None

    def __post_init__(self) -> None:
        shape = (len(self.runs), len(self.topics))
        m = (len(self.judged),)
        freeze(self, np.int64, shape, "start", "stop")
        freeze(self, np.bool_, m, "judged", "pooled")
        freeze(self, np.int16, m, "grade")
        freeze(self, np.int32, m, "entry", "in_subtopics", "in_documents")
        of_counts = shape if self.counts.ndim == 3 else shape[1:]
        freeze(self, np.int64, (*of_counts, self.max_grade + 1), "counts")
        check_slices(self.start, self.stop, len(self.judged))
        if len(self.grade) and not (self.grade.min() >= 0 and self.grade.max() <= self.max_grade):
            raise ValueError(f"grades must be between 0 and {self.max_grade}")

    @classmethod
    def of(cls, runs: Runs, judgments: Judgments) -> Lists:
        """The runs' lists as these judgments see them."""
        if runs.pairs is not judgments.pairs:
            raise ValueError("runs and judgments must be over the same pairs")
        pooled, sampling = judgments.pooled, judgments.sampling
        return cls(
            runs.names,
            runs.pairs.topics,
            runs.start,
            runs.stop,
            judgments.judged[runs.pair],
            judgments.grade[runs.pair],
            judgments.counts,
            judgments.max_grade,
            None if pooled is None else pooled[runs.pair],
            None if sampling is None else runs.pair,
            sampling,
        )

    def sampled(self) -> Lists:
        """These lists with a sampling: that of a complete pool where none is known."""
        if self.sampling is not None:
            return self
        counts = self.counts.reshape(-1, self.max_grade + 1)
        # All rows of a complete sampling are alike, so the first stands for any.
        entry = np.where(self.judged, np.int32(0), np.int32(-1))
        return replace(self, entry=entry, sampling=Sampling.complete(counts))

    @property
    def length(self) -> Int64s:
        """Documents in each list."""
        lengths: Int64s = self.stop - self.start
        return lengths

    def on(self, topics: Bools) -> Lists:
        """The same lists on some of the topics, for measures that see judgments only."""
        if self.sampling is not None or self.subtopics is not None or self.counts.ndim == 3:
            raise ValueError("these lists know more of their topics than judgments")
        return replace(
            self,
            topics=tuple(self.topics[at] for at in np.flatnonzero(topics)),
            start=self.start[:, topics],
            stop=self.stop[:, topics],
            counts=self.counts[topics],
        )

    def condensed(self) -> Lists:
        """The same lists without their unjudged documents; later ones move up."""
        return replace(self.only(self.judged), pooled=None)

    def only(self, kept: Bools) -> Lists:
        """The same lists without the other entries; later ones move up."""
        before = np.concatenate([[0], np.cumsum(kept)])
        changed: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[kept]
            for name in ("judged", "grade", "pooled", "entry", "in_subtopics", "in_documents")
        }
        return replace(self, start=before[self.start], stop=before[self.stop], **changed)

    def top(self, depth: int) -> Bools:
        """Entries that stand in the first `depth` ranks of a list."""
        mask = np.zeros(len(self.judged) + 1, np.int64)
        start, stop = self.start.ravel(), self.stop.ravel()
        np.add.at(mask, start, 1)
        np.add.at(mask, np.minimum(stop, start + depth), -1)
        inside: Bools = np.cumsum(mask[:-1]) > 0
        return inside

    @staticmethod
    def stack(parts: list[Lists]) -> Lists:
        """The runs of all parts, which must be over the same topics."""
        before = np.cumsum([0, *(len(part.judged) for part in parts[:-1])])
        return replace(
            parts[0],
            runs=tuple(run for part in parts for run in part.runs),
            start=np.concatenate([p.start + at for p, at in zip(parts, before, strict=True)]),
            stop=np.concatenate([p.stop + at for p, at in zip(parts, before, strict=True)]),
            judged=np.concatenate([part.judged for part in parts]),
            grade=np.concatenate([part.grade for part in parts]),
            pooled=None,
            in_subtopics=np.concatenate(
                [
                    np.full(len(p.judged), -1, np.int32)
                    if p.in_subtopics is None
                    else p.in_subtopics
                    for p in parts
                ]
            ),
        )

    @cached_property
    def _kept(self) -> dict[int, list[Block]]:
        return {}

    def blocks(self, depth: int | None = None) -> list[Block]:
        """All lists, cut to `depth`, as matrices of bounded size; every list comes once.

        They are kept, because most measures ask for the same and what a block knows of itself.
        """
        longest = int(self.length.max(initial=0))
        key = longest if depth is None else min(depth, longest)
        if key not in self._kept:
            self._kept[key] = list(self._blocks(key))
        return self._kept[key]

    def _blocks(self, depth: int) -> Iterator[Block]:
        width = np.minimum(self.length.ravel(), depth)
        # Lists of one width as they follow each other, because such need not be copied.
        order = np.lexsort((self.start.ravel(), -width))
        position = 0
        while position < len(order):
            columns = max(1, int(width[order[position]]))
            # A row also has the counts of all grades.
            widest = max(columns, (self.max_grade + 1) // 8)
            rows = order[position : position + max(1, CELLS // widest)]
            yield self._block(rows, columns, width[rows])
            position += len(rows)

    def _block(self, rows: Int64s, columns: int, width: Int64s) -> Block:
        start = self.start.ravel()[rows]
        step = int(self.length.ravel()[rows[0]])
        pooled = self.judged if self.pooled is None else self.pooled
        entry: Int32s | None = None
        evenly = bool(step) and bool((np.diff(start) == step).all())
        evenly = evenly and int(start[0]) + step * len(rows) <= len(self.judged)
        if evenly and bool((width == columns).all()):
            # Lists of one length that follow each other are a matrix already: no copy.
            part = slice(int(start[0]), int(start[0]) + step * len(rows))
            shape = (len(rows), step)
            judged = self.judged[part].reshape(shape)[:, :columns]
            grade = self.grade[part].reshape(shape)[:, :columns]
            pool = pooled[part].reshape(shape)[:, :columns]
            if self.entry is not None:
                entry = self.entry[part].reshape(shape)[:, :columns]
        else:
            column = np.arange(columns)
            inside = column < width[:, None]
            cell = np.where(inside, start[:, None] + column, 0)
            if len(self.judged):
                judged = self.judged[cell] & inside
                grade = np.where(inside, self.grade[cell], np.int16(0))
                pool = pooled[cell] & inside
                if self.entry is not None:
                    entry = np.where(inside, self.entry[cell], np.int32(-1))
            else:
                judged = pool = np.zeros(cell.shape, np.bool_)
                grade = np.zeros(cell.shape, np.int16)
                entry = np.full(cell.shape, -1, np.int32)
        # One row a topic, or one a list where each run is seen by judgments of its own.
        counts = self.counts.reshape(-1, self.max_grade + 1)
        topic = rows % max(1, len(counts))
        return Block(rows, topic, width, judged, grade, pool, counts[topic], entry)


def sketch(ranking: str, elsewhere: str = "", max_grade: int | None = None) -> Lists:
    """One list from its grades, best first, `?` where unjudged: for examples and tests.

    `elsewhere` holds the grades of judged documents that the list does not return.

    >>> sketch("1 ? 0", elsewhere="2").counts.tolist()
    [[1, 1, 1]]
    """
    marks = ranking.split()
    judged = np.array([mark != "?" for mark in marks], np.bool_)
    grade = np.array([0 if mark == "?" else int(mark) for mark in marks], np.int16)
    known = np.concatenate([grade[judged], np.array(elsewhere.split(), dtype=np.int16)])
    top = max(1, int(known.max(initial=0))) if max_grade is None else max_grade
    counts = np.bincount(known, minlength=top + 1)[None, :]
    bounds = np.array([[0]]), np.array([[len(marks)]])
    return Lists(("run",), ("topic",), *bounds, judged, grade, counts, top)


@dataclass(frozen=True, eq=False)
class CompleteBlock(Block):
    """A block without unjudged documents; grade 0 stands in the cells beyond a list's end too."""

    @classmethod
    def of(cls, grade: Int16s, length: Int64s, counts: Int64s) -> CompleteBlock:
        """Rows of grades, best rank first, with each list's length and its topic's documents."""
        rows = np.arange(len(grade))
        # Takes no room, however many cells there are.
        everything = np.broadcast_to(np.True_, grade.shape)
        return cls(rows, rows, length, everything, grade, everything, counts)

    @cached_property
    def unjudged(self) -> Bools:
        """None."""
        nowhere: Bools = np.broadcast_to(np.False_, self.grade.shape)
        return nowhere

    @cached_property
    def cells(self) -> tuple[Int64s, Int64s, Int16s]:
        """Row, column and grade of those that are not 0, row by row: all others gain nothing."""
        row, column = cells_of(self.grade > 0)
        return row, column, self.grade[row, column]

    @cached_property
    def n_judged(self) -> Int64s:
        """All of each list."""
        return self.length
