"""What the assessors said: a grade for some of the pairs, nothing for the others."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int64s, check_sample, freeze, read_only
from leadline.data.pairs import Pairs
from leadline.data.sampling import Sampling


@dataclass(frozen=True, eq=False)
class Judgments:
    """Per pair: whether it was judged, and its grade if so.

    `pooled` marks the pairs of the pool, judged or not (grade -1 in a qrels file). `inclusion` and
    `stratum` tell how a sample was drawn from it. `max_grade` is the top of the scale, which bounds
    what an unjudged document could still be worth.
    """

    pairs: Pairs
    judged: Bools
    grade: Int16s
    pooled: Bools | None = None
    inclusion: Floats | None = None
    stratum: Int16s | None = None
    max_grade: int = field(default=0)

    def __post_init__(self) -> None:
        shape = (len(self.pairs),)
        freeze(self, np.bool_, shape, "judged", "pooled")
        freeze(self, np.int16, shape, "grade", "stratum")
        freeze(self, np.float64, shape, "inclusion")
        if (self.grade < 0).any():
            raise ValueError("grades must not be negative: unjudged is a mask, never a number")
        if self.grade[~self.judged].any():
            raise ValueError("a pair that was not judged has a grade")
        if self.pooled is not None and (self.judged & ~self.pooled).any():
            raise ValueError("a judged pair is not marked pooled")
        check_sample(self.judged, self.inclusion, self.stratum)
        highest = max(1, int(self.grade.max(initial=0)))
        if self.max_grade == 0:
            object.__setattr__(self, "max_grade", highest)
        elif self.max_grade < highest:
            raise ValueError(f"grade {highest} lies above the scale's top, {self.max_grade}")

    def on(self, pairs: Pairs, kept: Bools) -> "Judgments":
        """Those of some of the pairs, which have become `pairs`."""
        pooled, inclusion, stratum = self.pooled, self.inclusion, self.stratum
        return Judgments(
            pairs,
            self.judged[kept],
            self.grade[kept],
            None if pooled is None else pooled[kept],
            None if inclusion is None else inclusion[kept],
            None if stratum is None else stratum[kept],
            self.max_grade,
        )

    def __repr__(self) -> str:
        n = int(self.judged.sum())
        return f"Judgments({n:,} of {len(self.pairs):,} pairs, grades 0 to {self.max_grade})"

    @cached_property
    def n_judged(self) -> Int64s:
        """How many pairs of each topic were judged."""
        topic = self.pairs.topic[self.judged]
        return read_only(np.bincount(topic, minlength=len(self.pairs.topics)))

    def same(self, other: "Judgments") -> bool:
        """Return whether both judge the same of the same pairs alike, on the same scale."""
        return self is other or (
            self.pairs is other.pairs
            and self.max_grade == other.max_grade
            and np.array_equal(self.judged, other.judged)
            and np.array_equal(self.grade, other.grade)
        )

    def only(self, kept: Bools) -> "Judgments":
        """The judgments of these pairs; all others are withdrawn, and no sample is told of."""
        judged = self.judged & kept
        grade = np.where(judged, self.grade, np.int16(0))
        return Judgments(self.pairs, judged, grade, max_grade=self.max_grade)

    @cached_property
    def counts(self) -> Int64s:
        """How many documents of each topic have each grade [topics, grades]."""
        judged, n_grades = np.flatnonzero(self.judged), self.max_grade + 1
        cell = self.pairs.topic[judged].astype(np.int64) * n_grades + self.grade[judged]
        count = np.bincount(cell, minlength=len(self.pairs.topics) * n_grades)
        return read_only(count.reshape(-1, n_grades))

    @cached_property
    def sampling(self) -> Sampling | None:
        """How the judged pairs were drawn from the pool; None where all of the pool was judged."""
        if self.pooled is None and self.inclusion is None and self.stratum is None:
            return None
        return Sampling(
            len(self.pairs.topics),
            self.max_grade,
            self.pairs.topic,
            self.judged if self.pooled is None else self.pooled,
            self.judged,
            self.grade,
            self.inclusion,
            self.stratum,
        )
