"""Judgments per subtopic, as ndeval's qrels hold them and as numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from leadline.data.arrays import Bools, Floats, Int16s, Int32s, Int64s, freeze


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Columns topic, subtopic, doc (text) and grade (whole numbers from 0), each triple once."""

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        wanted = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
        if dict(self.frame.schema) != wanted:
            raise ValueError(f"subtopic judgments need the columns {wanted}")
        if self.frame.select("topic", "subtopic", "doc").is_duplicated().any():
            raise ValueError("a document is judged twice for one subtopic")
        if len(self.frame) and int(self.frame["grade"].min()) < 0:  # type: ignore[arg-type]
            raise ValueError("grades must not be negative")

    def documents(self) -> pl.DataFrame:
        """Columns topic, doc, grade: a document's grade is the best it has for any subtopic."""
        return self.frame.group_by("topic", "doc", maintain_order=True).agg(pl.col("grade").max())

    @property
    def may_be_rounds(self) -> bool:
        """Whether no document has two subtopics, as where the column holds rounds of judging."""
        return len(self.frame) > 1 and not self.frame.select("topic", "doc").is_duplicated().any()


NOT_A_SUBTOPIC = "0"
"""TREC 2009 lists documents that suit no subtopic under this one; with a relevant document it is a
subtopic like any other."""

Intents = Mapping[tuple[str, str], float]
"""The probability that somebody who asks (topic) means (subtopic)."""


@dataclass(frozen=True, eq=False)
class SubtopicGrades:
    """Topic t has the subtopics `first[t]` to `first[t + 1]`; documents are numbered in `topic`.

    A document is a judged pair, sorted by topic, then docno. Its labels, `start[doc]` to
    `start[doc + 1]` of `subtopic` and `grade`, are those above 0. `weight` holds the probabilities
    of the subtopics, to be scaled to 1 over those that count.
    """

    topics: tuple[str, ...]
    names: tuple[str, ...]
    first: Int64s
    weight: Floats
    docs: pl.Series
    topic: Int32s
    start: Int64s
    subtopic: Int32s
    grade: Int16s
    max_grade: int = 1
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    """What was computed from it once: ideal lists."""

    def __post_init__(self) -> None:
        n, m = len(self.docs), len(self.subtopic)
        freeze(self, np.int64, (len(self.topics) + 1,), "first")
        freeze(self, np.float64, (len(self.names),), "weight")
        freeze(self, np.int32, (n,), "topic")
        freeze(self, np.int64, (n + 1,), "start")
        freeze(self, np.int32, (m,), "subtopic")
        freeze(self, np.int16, (m,), "grade")

    @classmethod
    def of(
        cls,
        subtopics: Subtopics,
        topics: tuple[str, ...],
        intents: Intents | None = None,
        max_grade: int | None = None,
    ) -> "SubtopicGrades":
        """The judgments of these topics; intents that are not given are all equally likely."""
        number = pl.DataFrame(
            {"topic": topics, "t": range(len(topics))}, schema={"topic": pl.String, "t": pl.Int32}
        )
        frame = subtopics.frame.join(number, on="topic").sort("t", "doc", "subtopic")
        top = frame["grade"].max() if max_grade is None else max_grade
        named = frame.group_by("t", "topic", "subtopic").agg(best=pl.col("grade").max())
        named = named.filter((pl.col("subtopic") != NOT_A_SUBTOPIC) | (pl.col("best") > 0))
        named = named.sort("t", "subtopic").with_row_index("s")
        first = np.searchsorted(named["t"].to_numpy(), np.arange(len(topics) + 1))
        docs = frame.select("t", "doc").unique(maintain_order=True).with_row_index("d")
        labels = frame.filter(pl.col("grade") > 0)
        labels = labels.join(named.select("t", "subtopic", "s"), on=["t", "subtopic"])
        labels = labels.join(docs, on=["t", "doc"]).sort("d", "s")
        count = np.bincount(labels["d"].to_numpy(), minlength=len(docs))
        weight = np.ones(len(named))
        if intents is not None:
            keys = named.select("topic", "subtopic").rows()
            weight = np.array([intents.get(key, 0.0) for key in keys], np.float64)
        return cls(
            topics,
            tuple(named["subtopic"].to_list()),
            first,
            weight,
            docs["doc"],
            docs["t"].to_numpy(),
            np.concatenate([[0], np.cumsum(count)]),
            labels["s"].to_numpy(),
            labels["grade"].to_numpy(),
            max(1, int(top) if isinstance(top, int) else 1),
        )

    @property
    def of_label(self) -> Int64s:
        """The document of each label."""
        return np.repeat(np.arange(len(self.docs)), np.diff(self.start))

    def n_relevant(self, rel: int = 1) -> Int64s:
        """Documents judged relevant to each subtopic."""
        chosen = self.subtopic[self.grade >= rel]
        return np.bincount(chosen, minlength=len(self.names)).astype(np.int64)

    def of_judged(
        self, topic: Int64s, doc: pl.Series, judged: Bools
    ) -> "tuple[SubtopicGrades, Int32s]":
        """Those of the pairs that are judged, and the number of each pair in them, -1 for none."""
        number = self.find(topic, doc)
        kept = np.zeros(len(self.docs), np.bool_)
        kept[number[judged & (number >= 0)]] = True
        return self if kept.all() else self.only(kept), number

    def only(self, docs: Bools) -> "SubtopicGrades":
        """The same numbers with the labels of the other documents withdrawn."""
        keep = np.repeat(docs, np.diff(self.start))
        count = np.where(docs, np.diff(self.start), 0)
        return SubtopicGrades(
            self.topics,
            self.names,
            self.first,
            self.weight,
            self.docs,
            self.topic,
            np.concatenate([[0], np.cumsum(count)]),
            self.subtopic[keep],
            self.grade[keep],
            self.max_grade,
        )

    def find(self, topic: Int64s, doc: pl.Series) -> Int32s:
        """The number of each document of a topic, -1 where it was not judged for a subtopic."""
        known = pl.DataFrame({"t": self.topic, "doc": self.docs}).with_row_index("d")
        wanted = pl.DataFrame({"t": topic.astype(np.int32), "doc": doc})
        found = wanted.join(known, on=["t", "doc"], how="left", maintain_order="left")["d"]
        return found.cast(pl.Int32).fill_null(-1).to_numpy()
