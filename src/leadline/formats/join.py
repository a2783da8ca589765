"""Runs meet judgments: lists from a run's rows and qrels, by one hash join verified by name."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from leadline.data.arrays import Bools, Int16s, Int64s
from leadline.data.lists import Lists
from leadline.data.pairs import topic_order
from leadline.formats.qrels import Qrels
from leadline.formats.ranking import Ranking
from leadline.formats.rows import PAIR_KEY, TOPIC_KEY, Keys, Rows

_BITS = 22
"""Of a hash that decide, in a table of 4 MB, whether a row can be judged at all."""


@dataclass(frozen=True, eq=False)
class JudgedIndex:
    """Judgments ready to be looked up by hash: rows sorted by pair_key."""

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
    table: Bools
    distinct: bool

    @classmethod
    def of(cls, qrels: Qrels) -> "JudgedIndex":
        """The index of some qrels; topics with no judged document are not in it."""
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
        table = np.zeros(1 << _BITS, np.bool_)
        table[pair_key >> np.uint64(64 - _BITS)] = True
        distinct = len(np.unique(pair_key)) == len(pair_key)
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
            table,
            distinct and len(np.unique(topic_key)) == len(topic_key),
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
        )

    def topic_of(self, key: Keys) -> Int64s:
        """The number of the topic with each topic_key, -1 where it is not judged."""
        at = np.searchsorted(self.topic_key, key)
        at[at == len(self.topic_key)] = 0
        found: Int64s = np.where(self.topic_key[at] == key, self.topic_at[at], -1)
        return found

    def find(self, rows: Rows) -> tuple[Int64s, Int64s]:
        """Rows that are in the judgments, and which judgment each one is."""
        key = rows.pair_key
        row = np.flatnonzero(self.table.take(key >> np.uint64(64 - _BITS)))
        at = np.searchsorted(self.pair_key, key[row])
        at[at == len(self.pair_key)] = 0
        hit = self.pair_key[at] == key[row]
        row, at = row[hit], at[hit]
        right = (rows.doc.gather(row) == self.doc.gather(at)).to_numpy()
        right &= self.topic_of(rows.topic_key[row]) == self.topic[at]
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


def join(name: str, rows: Rows, ranking: Ranking, index: JudgedIndex) -> Lists:
    """One run's lists on the judged topics; topics that it does not return have an empty list."""
    row, at = index.find(rows)
    judged = np.zeros(len(rows), np.bool_)
    grade = np.zeros(len(rows), np.int16)
    judged[row] = index.judged[at]
    grade[row] = index.grade[at]
    pooled = None
    if not index.judged.all():
        pooled = np.zeros(len(rows), np.bool_)
        pooled[row] = True
    judged, grade = ranking.arrange(judged), ranking.arrange(grade)
    pooled = None if pooled is None else ranking.arrange(pooled)
    start, stop = (np.zeros((1, len(index.topics)), np.int64) for _ in range(2))
    topic = index.topic_of(ranking.key)
    known = topic >= 0
    start[0, topic[known]] = ranking.start[known]
    stop[0, topic[known]] = ranking.stop[known]
    counts, top = index.counts, index.max_grade
    return Lists((name,), index.topics, start, stop, judged, grade, counts, top, pooled)
