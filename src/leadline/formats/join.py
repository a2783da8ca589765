"""Runs meet judgments: lists from a run's rows and qrels, by one hash join verified by name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from leadline.data.arrays import Bools, Int16s, Int32s, Int64s
from leadline.data.lists import Lists
from leadline.data.pairs import topic_order
from leadline.data.sampling import Sampling
from leadline.data.subtopic_grades import Intents, SubtopicGrades
from leadline.data.subtopics import Subtopics
from leadline.formats.key_table import KeyTable
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranking
from leadline.formats.rows import PAIR_KEY, TOPIC_KEY, Keys, Rows, has_equals


@dataclass(frozen=True, eq=False)
class JudgedIndex:
    """Judgments ready to be looked up by hash: rows sorted by pair_key.

    `sampling` is there if it was asked for and known.
    """

    topics: tuple[str, ...]
    topic_key: Keys
    topic_at: Int64s
    pair_key: Keys
    topic: Int64s
    doc: pl.Series
    grade: Int16s
    judged: Bools
    counts: Int64s
    max_grade: int
    table: KeyTable
    distinct: bool
    sampling: Sampling | None = None

    @classmethod
    def of(cls, qrels: Qrels, sampled: bool = False) -> "JudgedIndex":
        """The index of some qrels; topics with no judged document are not in it.

        `sampled` asks how the judged documents were drawn, which costs memory for every entry.
        """
        known = qrels.frame.drop_nulls("grade")["topic"].unique().to_list()
        topics = topic_order(known)
        names = pl.DataFrame({"topic": topics, "t": range(len(topics))}).cast({"t": pl.Int64})
        frame = qrels.frame.join(names, on="topic").with_columns(PAIR_KEY).sort("pair_key")
        topic_key = names.select(TOPIC_KEY).to_series().to_numpy()
        order = np.argsort(topic_key)
        grade = frame["grade"].fill_null(0).to_numpy()
        judged = frame["grade"].is_not_null().to_numpy()
        topic = frame["t"].to_numpy()
        top = qrels.max_grade
        cell = topic * (top + 1) + grade
        counts = np.bincount(cell[judged], minlength=len(topics) * (top + 1))
        pair_key = frame["pair_key"].to_numpy()
        distinct = not has_equals(pair_key) and not has_equals(topic_key)
        return cls(
            tuple(topics),
            topic_key[order],
            order,
            pair_key,
            topic,
            frame["doc"],
            grade,
            judged,
            counts.reshape(len(topics), top + 1),
            top,
            KeyTable(pair_key),
            distinct,
            _sampling(frame, len(topics), top) if sampled else None,
        )

    def including(self, topics: list[str]) -> "JudgedIndex":
        """The same with topics of which nothing was judged, at the end."""
        if not topics:
            return self
        more = pl.DataFrame({"topic": topics}).select(TOPIC_KEY).to_series().to_numpy()
        key = np.concatenate([self.topic_key, more])
        at = np.concatenate([self.topic_at, len(self.topics) + np.arange(len(more))])
        order = np.argsort(key)
        counts = np.zeros((len(self.topics) + len(more), self.max_grade + 1), np.int64)
        counts[: len(self.topics)] = self.counts
        return replace(
            self,
            topics=(*self.topics, *topics),
            topic_key=key[order],
            topic_at=at[order],
            counts=counts,
            sampling=self.sampling and replace(self.sampling, n_topics=len(counts)),
        )

    def topic_of(self, key: Keys) -> Int64s:
        """The number of the topic with each topic_key, -1 where it is not judged."""
        at = np.searchsorted(self.topic_key, key)
        at[at == len(self.topic_key)] = 0
        found: Int64s = np.where(self.topic_key[at] == key, self.topic_at[at], -1)
        return found

    def find(self, rows: Rows) -> tuple[Int64s, Int64s]:
        """Rows that are in the judgments, and which judgment each one is."""
        row, at = self.table.find(rows.pair_key)
        right = (_chosen(rows.doc, row) == self.doc[at]).to_numpy()
        stretch = np.searchsorted(rows.starts, row, side="right") - 1
        topic = self.topic_of(rows.topic_key[rows.starts])[stretch]
        right &= topic == self.topic[at]
        if self.distinct and right.all():
            return row, at
        return self._find_by_name(rows)

    def _find_by_name(self, rows: Rows) -> tuple[Int64s, Int64s]:
        """The same by comparing names only: what remains when two hashes collide."""
        topics = pl.Series(self.topics, dtype=pl.String)
        ours = pl.DataFrame({"topic": topics.gather(self.topic), "doc": self.doc})
        found = (
            pl.DataFrame({"topic": rows.topic, "doc": rows.doc})
            .with_row_index("row")
            .join(ours.with_row_index("at"), on=["topic", "doc"])
            .sort("row")
        )
        return found["row"].cast(pl.Int64).to_numpy(), found["at"].cast(pl.Int64).to_numpy()


def _sampling(frame: pl.DataFrame, n_topics: int, max_grade: int) -> Sampling | None:
    judged = frame["grade"].is_not_null().to_numpy()
    inclusion, stratum = (
        None if frame[name].null_count() == len(frame) else frame[name].fill_null(none).to_numpy()
        for name, none in (("inclusion", 1.0), ("stratum", -1))
    )
    if judged.all() and inclusion is None and stratum is None:
        return None
    return Sampling(
        n_topics,
        max_grade,
        frame["t"].to_numpy(),
        np.ones(len(frame), np.bool_),
        judged,
        frame["grade"].fill_null(0).to_numpy(),
        inclusion,
        stratum,
    )


def _chosen(column: pl.Series, row: Int64s) -> pl.Series:
    """These rows, in order: by mask where they are many, since the column comes in pieces."""
    if len(row) * 16 < len(column):
        return column[row]
    mask = np.zeros(len(column), np.bool_)
    mask[row] = True
    return column.filter(pl.Series(mask))


@dataclass(frozen=True, eq=False)
class SubtopicRows:
    """Subtopic grades, and the number in them of each row of a JudgedIndex."""

    grades: SubtopicGrades
    number: Int32s

    @classmethod
    def of(
        cls, index: JudgedIndex, subtopics: Subtopics, max_grade: int, intents: Intents | None
    ) -> "SubtopicRows":
        """Those of the same judgments; what a pool or a choice of topics left out is left out."""
        grades = SubtopicGrades.of(subtopics, index.topics, intents, max_grade)
        number = grades.find(index.topic, index.doc)
        kept = np.zeros(len(grades.docs), np.bool_)
        kept[number[index.judged & (number >= 0)]] = True
        return cls(grades if kept.all() else grades.only(kept), number)


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
    topic, run = index.topic_of(rows.topic_key[first]), rows.run_of(first)
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
