"""Judgments as every reader hands them on: one entry a pair, grades settled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int64s, topic_order
from leadline.data.judgments import Judgments
from leadline.data.names import Names
from leadline.data.pairs import Pairs
from leadline.io.problems import InputError

if TYPE_CHECKING:
    import polars as pl

    from leadline.data.subtopics import Subtopics


MOST_COUNTS = 1 << 24
"""Topics times grades: 134 MB of counts."""


@dataclass(frozen=True, eq=False)
class Qrels:
    """Topic, doc and grade of every entry, which is pooled but unjudged where `judged` says so.

    `inclusion` and `stratum` are NaN and -1 where unknown, None where no entry has one. `subtopics`
    is there if the file had them; a document's grade is then its best. `max_grade` is the top of
    the scale, at least the highest grade and 1.
    """

    topic: Names
    doc: Names
    grade: Int16s
    judged: Bools
    name: str = "qrels"
    subtopics: Subtopics | None = None
    max_grade: int = 0
    inclusion: Floats | None = None
    stratum: Int16s | None = None

    def __post_init__(self) -> None:
        # Before topics or a pool restrict it: what a document may be worth does not change then.
        top = max(self.max_grade, 1, int(self.grade.max(initial=0)))
        object.__setattr__(self, "max_grade", top)
        if top > 255 and len(self.judged_topics) * (top + 1) > MOST_COUNTS:
            message = (
                f"grade {top} on {len(self.judged_topics):,} topics: documents of each grade are "
                f"counted by topic, and these are more than {MOST_COUNTS:,} counts. Read it as a "
                f"smaller grade, for instance with `map_grades` {top}=4"
            )
            raise InputError.of(self.name, "scale", message)

    @classmethod
    def of_frame(
        cls,
        frame: pl.DataFrame,
        name: str = "qrels",
        subtopics: Subtopics | None = None,
        max_grade: int = 0,
    ) -> Qrels:
        """From topic, doc, grade (null: unjudged), and perhaps inclusion and stratum."""
        more = {}
        for column, unknown in (("inclusion", np.nan), ("stratum", -1)):
            if column in frame.columns and frame[column].null_count() < len(frame):
                more[column] = frame[column].fill_null(unknown).to_numpy()
        return cls(
            Names.of(frame["topic"]),
            Names.of(frame["doc"]),
            frame["grade"].fill_null(0).to_numpy(),
            frame["grade"].is_not_null().to_numpy(),
            name,
            subtopics,
            max_grade,
            **more,
        )

    @staticmethod
    def nothing() -> Qrels:
        """No judgments at all."""
        none, empty = Names.of([]), np.zeros(0, np.int16)
        return Qrels(none, none, empty, empty.astype(np.bool_), "no judgments")

    @cached_property
    def stretches(self) -> tuple[Int64s, Names]:
        """The first entry of each stretch of one topic, and that topic."""
        first = np.flatnonzero(self.topic.changed())
        return first, self.topic.gather(first)

    @cached_property
    def judged_topics(self) -> list[str]:
        """The topics of which something is judged."""
        first, topic = self.stretches
        if not len(first):
            return []
        judged = np.flatnonzero(np.add.reduceat(self.judged, first, dtype=np.int64))
        return topic_order(set(topic.gather(judged).to_list()))

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns topic, doc, grade (null: unjudged), inclusion, stratum (null if unknown)."""
        import polars as pl

        n = len(self.grade)
        inclusion = pl.repeat(None, n, dtype=pl.Float64, eager=True)
        stratum = pl.repeat(None, n, dtype=pl.Int16, eager=True)
        if self.inclusion is not None:
            inclusion = pl.Series(self.inclusion).fill_nan(None)
        if self.stratum is not None:
            stratum = pl.Series(self.stratum).replace(-1, None)
        frame = pl.DataFrame(
            {
                "topic": self.topic.series,
                "doc": self.doc.series,
                "grade": pl.Series(self.grade, dtype=pl.Int16),
                "inclusion": inclusion,
                "stratum": stratum,
            }
        )
        judged = pl.Series(self.judged)
        return frame.with_columns(grade=pl.when(judged).then(pl.col("grade")))

    def over(self, pairs: Pairs) -> Judgments:
        """The judgments of these pairs; those of others are left out, and no sample is told of."""
        frame = self.frame.drop_nulls("grade")
        at = pairs.find(frame["topic"], frame["doc"])
        judged, grade = np.zeros(len(pairs), np.bool_), np.zeros(len(pairs), np.int16)
        judged[at[at >= 0]] = True
        grade[at[at >= 0]] = frame["grade"].to_numpy()[at >= 0]
        return Judgments(pairs, judged, grade, max_grade=self.max_grade)

    def restrict(self, topics: list[str]) -> Qrels:
        """Only these topics."""
        import polars as pl

        return self.keep(self.frame.filter(pl.col("topic").is_in(topics)))

    def keep(self, frame: pl.DataFrame) -> Qrels:
        """Other rows of the same judgments, on the same scale."""
        return Qrels.of_frame(frame, self.name, self.subtopics, self.max_grade)
