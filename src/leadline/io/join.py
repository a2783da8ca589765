"""Runs meet judgments: lists from a run's rows and qrels, by one hash join verified by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int32s, Int64s
from leadline.data.lists import Lists
from leadline.data.names import Names
from leadline.data.pairs import KeyTable
from leadline.data.sampling import Sampling
from leadline.io.qrels import Qrels
from leadline.io.rows import Ranking, Rows, doc_keys, has_equals, topic_keys

if TYPE_CHECKING:
    from leadline.data.subtopics import Intents, SubtopicGrades, Subtopics


@dataclass(frozen=True, eq=False)
class JudgedIndex:
    """Judgments ready to be looked up by hash: rows sorted by that of topic and doc.

    `sampling` is there if it was asked for and known.
    """

    topics: tuple[str, ...]
    topic: Int64s
    doc: Names
    grade: Int16s
    judged: Bools
    counts: Int64s
    max_grade: int
    table: KeyTable
    distinct: bool
    sampling: Sampling | None = None

    @classmethod
    def of(cls, qrels: Qrels, sampled: bool = False) -> JudgedIndex:
        """The index of some qrels; topics with no judged document are not in it.

        `sampled` asks how the judged documents were drawn, which costs memory for every entry.
        """
        topics, number = _topics(qrels)
        topic_key = topic_keys(Names.of(list(topics)))
        at = np.flatnonzero(number >= 0)
        doc = qrels.doc.gather(at)
        pair_key = topic_key[number[at]] ^ doc_keys(doc)
        order = np.argsort(pair_key)
        at, pair_key = at[order], pair_key[order]
        topic, grade, judged = number[at], qrels.grade[at], qrels.judged[at]
        top = qrels.max_grade
        cell = topic * (top + 1) + grade
        counts = np.bincount(cell[judged], minlength=len(topics) * (top + 1))
        sampling = None
        if sampled:
            inclusion = None if qrels.inclusion is None else qrels.inclusion[at]
            stratum = None if qrels.stratum is None else qrels.stratum[at]
            sampling = _sampling(topic, judged, grade, inclusion, stratum, (len(topics), top))
        return cls(
            topics,
            topic,
            doc.gather(order),
            grade,
            judged,
            counts.reshape(len(topics), top + 1),
            top,
            KeyTable(pair_key),
            not has_equals(pair_key),
            sampling,
        )

    def including(self, topics: list[str]) -> JudgedIndex:
        """This index and topics of which nothing was judged, at the end."""
        if not topics:
            return self
        counts = np.zeros((len(self.topics) + len(topics), self.max_grade + 1), np.int64)
        counts[: len(self.topics)] = self.counts
        return replace(
            self,
            topics=(*self.topics, *topics),
            counts=counts,
            sampling=self.sampling and replace(self.sampling, n_topics=len(counts)),
        )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {topic: at for at, topic in enumerate(self.topics)}

    def topics_of(self, rows: Rows) -> Int64s:
        """The number of each stretch's topic, -1 where it is not judged."""
        names, number = rows.topics
        return np.array([self._place.get(name, -1) for name in names], np.int64)[number]

    def find(self, rows: Rows) -> tuple[Int64s, Int64s]:
        """Rows that are in the judgments, and which judgment each one is."""
        row, at = self.table.find(rows.pair_key)
        # Rows come in their order, so it is enough to know how many each stretch has.
        n = np.diff(np.searchsorted(row, np.append(rows.starts, len(rows))))
        topic = np.repeat(self.topics_of(rows), n)
        right = rows.doc.gather(row).equals(self.doc.gather(at)) & (topic == self.topic[at])
        if self.distinct and right.all():
            return row, at
        return self._find_by_name(rows)

    def _find_by_name(self, rows: Rows) -> tuple[Int64s, Int64s]:
        """What `find` gives by comparing names only, for when two hashes collide."""
        topics, ours = rows.topic.to_list(), self.doc.to_list()
        known = {(self.topics[t], ours[at]): at for at, t in enumerate(self.topic.tolist())}
        stretch = rows.stretch_of(np.arange(len(rows))).tolist()
        pairs = [(topics[at], doc) for at, doc in zip(stretch, rows.doc.to_list(), strict=True)]
        place = np.array([known.get(pair, -1) for pair in pairs], np.int64)
        row = np.flatnonzero(place >= 0)
        return row, place[row]


def _topics(qrels: Qrels) -> tuple[tuple[str, ...], Int64s]:
    """The topics of which something was judged, and the number of each entry's topic, or -1."""
    first, names = qrels.stretches
    place = {name: at for at, name in enumerate(qrels.judged_topics)}
    number = np.array([place.get(name, -1) for name in names.to_list()], np.int64)
    return tuple(place), np.repeat(number, np.diff(np.append(first, len(qrels.grade))))


def _sampling(
    topic: Int64s,
    judged: Bools,
    grade: Int16s,
    inclusion: Floats | None,
    stratum: Int16s | None,
    size: tuple[int, int],
) -> Sampling | None:
    if judged.all() and inclusion is None and stratum is None:
        return None
    if inclusion is not None:
        inclusion = np.where(np.isnan(inclusion), 1.0, inclusion)
    pooled = np.ones(len(judged), np.bool_)
    return Sampling(*size, topic.astype(np.int32), pooled, judged, grade, inclusion, stratum)


@dataclass(frozen=True, eq=False)
class SubtopicRows:
    """Subtopic grades, and the number in them of each row of a JudgedIndex."""

    grades: SubtopicGrades
    number: Int32s

    @classmethod
    def of(
        cls, index: JudgedIndex, subtopics: Subtopics, max_grade: int, intents: Intents | None
    ) -> SubtopicRows:
        """Those of the same judgments; what a pool or a choice of topics left out is left out."""
        from leadline.data.subtopics import SubtopicGrades

        grades = SubtopicGrades.of(subtopics, index.topics, intents, max_grade)
        return cls(*grades.of_judged(index.topic, index.doc.series, index.judged))


def join(
    names: Sequence[str],
    rows: Rows,
    ranking: Ranking,
    index: JudgedIndex,
    subtopics: SubtopicRows | None = None,
) -> Lists:
    """The runs' lists on the judged topics, empty where a run does not return one."""
    row, at = index.find(rows)
    judged = np.zeros(len(rows), np.bool_)
    grade = np.zeros(len(rows), np.int16)
    judged[row] = index.judged[at]
    grade[row] = index.grade[at]
    pooled = None
    if not index.judged.all():
        pooled = np.zeros(len(rows), np.bool_)
        pooled[row] = True
    entry = None
    if index.sampling is not None:
        entry = np.full(len(rows), -1, np.int32)
        entry[row] = at
        entry = ranking.arrange(entry)
    judged, grade = ranking.arrange(judged), ranking.arrange(grade)
    pooled = None if pooled is None else ranking.arrange(pooled)
    start, stop = (np.zeros((len(names), len(index.topics)), np.int64) for _ in range(2))
    first = ranking.first_row()
    topic = index.topics_of(rows)[rows.stretch_of(first)]
    run = rows.run_of(first)
    known = topic >= 0
    start[run[known], topic[known]] = ranking.start[known]
    stop[run[known], topic[known]] = ranking.stop[known]
    lists = Lists(
        tuple(names),
        index.topics,
        start,
        stop,
        judged,
        grade,
        index.counts,
        index.max_grade,
        pooled,
        entry,
        index.sampling,
    )
    if subtopics is None:
        return lists
    number = np.full(len(rows), -1, np.int32)
    number[row] = subtopics.number[at]
    return replace(lists, subtopics=subtopics.grades, in_subtopics=ranking.arrange(number))


def empty_lists(names: Sequence[str], index: JudgedIndex) -> Lists:
    """The lists of runs that return nothing."""
    start, stop = (np.zeros((len(names), len(index.topics)), np.int64) for _ in range(2))
    none = np.zeros(0, np.int16)
    return Lists(
        tuple(names),
        index.topics,
        start,
        stop,
        none.astype(np.bool_),
        none,
        index.counts,
        index.max_grade,
    )
