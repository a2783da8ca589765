"""How the judged documents were drawn: what inferred measures know beyond the grades."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int32s, Int64s, check_sample, freeze

MOST_STRATA = 200
"""Strata are groups; that many of them are probabilities that differ from document to document."""


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of each row (-1 outside the pool, and so is the last), and what each holds.

    size[topic, stratum] documents could be drawn, counts[topic, stratum, grade] were judged.
    """

    of_row: Int16s
    size: Int64s
    counts: Int64s

    @cached_property
    def n_judged(self) -> Int64s:
        """[topic, stratum]: documents judged."""
        total: Int64s = self.counts.sum(axis=2)
        return total

    @cached_property
    def rate(self) -> Floats:
        """[topic, stratum]: the share of the documents that was judged; 1 where there is none."""
        share = np.ones(self.size.shape)
        np.divide(self.n_judged, self.size, out=share, where=self.size > 0)
        return share

    def merged(self) -> "Strata":
        """The same documents as a single stratum."""
        of_row = np.where(self.of_row >= 0, np.int16(0), np.int16(-1))
        size, counts = (table.sum(axis=1, keepdims=True) for table in (self.size, self.counts))
        return Strata(of_row, size, counts)


@dataclass(frozen=True, eq=False)
class Sampling:
    """One row a document: its topic, whether it could be drawn, whether it was judged, its grade.

    `inclusion` holds the probability of being drawn, `stratum` the group that it was drawn from,
    where they are known. Without `inclusion` a stratum's share judged is taken for it; without
    `stratum` documents of equal `inclusion` form one.
    """

    n_topics: int
    max_grade: int
    topic: Int32s
    pooled: Bools
    judged: Bools
    grade: Int16s
    inclusion: Floats | None = None
    stratum: Int16s | None = None

    def __post_init__(self) -> None:
        shape = (len(self.topic),)
        freeze(self, np.int32, shape, "topic")
        freeze(self, np.bool_, shape, "pooled", "judged")
        freeze(self, np.int16, shape, "grade", "stratum")
        freeze(self, np.float64, shape, "inclusion")
        check_sample(self.judged, self.inclusion, self.stratum)

    @classmethod
    def complete(cls, counts: Int64s) -> "Sampling":
        """Everything that could be judged was: counts[topic, grade] documents."""
        n_topics, n_grades = counts.shape
        cell = np.repeat(np.arange(counts.size), counts.ravel())
        everything = np.ones(len(cell), np.bool_)
        topic, grade = (cell // n_grades).astype(np.int32), (cell % n_grades).astype(np.int16)
        return cls(n_topics, n_grades - 1, topic, everything, everything, grade)

    @cached_property
    def strata(self) -> Strata:
        """The documents by stratum; a ValueError where those that were not drawn are unknown."""
        drawn = self.inclusion is not None and (self.inclusion[self.judged] < 1).any()
        if drawn and not (self.pooled & ~self.judged).any():
            raise ValueError(
                "a sample was judged, but the documents that were not drawn are missing, and this "
                "measure counts them: give them as grade -1, or make the pool with "
                "leadline pool --undrawn. statAP and HorvitzThompson need only the judged ones"
            )
        return self._strata

    @cached_property
    def _strata(self) -> Strata:
        group = np.zeros(len(self.topic), np.int64)
        inside = self.pooled
        if self.stratum is not None:
            inside = inside & (self.stratum >= 0)
            group = np.unique(self.stratum, return_inverse=True)[1]
        elif self.inclusion is not None:
            group = np.unique(np.where(inside, self.inclusion, 1.0), return_inverse=True)[1]
        used, number = np.unique(group[inside], return_inverse=True)
        if len(used) > MOST_STRATA:
            raise ValueError(
                f"there are {len(used)} strata, more than {MOST_STRATA}: documents drawn with "
                "probabilities of their own want statAP or HorvitzThompson"
            )
        n_strata, n_grades = max(1, len(used)), self.max_grade + 1
        of_row = np.full(len(group) + 1, -1, np.int16)
        of_row[np.flatnonzero(inside)] = number
        cell = self.topic.astype(np.int64) * n_strata + of_row[:-1]
        n_cells = self.n_topics * n_strata
        size = np.bincount(cell[inside], minlength=n_cells)
        judged = inside & self.judged
        graded = cell[judged] * n_grades + self.grade[judged]
        counts = np.bincount(graded, minlength=n_cells * n_grades)
        return Strata(
            of_row,
            size.reshape(self.n_topics, n_strata),
            counts.reshape(self.n_topics, n_strata, n_grades),
        )

    @cached_property
    def probability(self) -> Floats:
        """The inclusion probability of each row, and 1 for what is in none."""
        if self.inclusion is not None:
            return np.append(np.where(self.judged, self.inclusion, 1.0), 1.0)
        share = np.ones(len(self.topic) + 1)
        inside = np.flatnonzero(self.judged)
        stratum = self._strata.of_row[inside]
        share[inside] = self._strata.rate[self.topic[inside], stratum]
        return share

    @cached_property
    def ht_total(self) -> Floats:
        """[topic, grade]: the sum of 1 / inclusion over the judged documents."""
        return self._sums(1 / self.probability[:-1])

    @cached_property
    def ht_variance(self) -> Floats:
        """[topic, grade]: the variance of that, the sum of (1 - inclusion) / inclusion^2."""
        share = self.probability[:-1]
        return self._sums((1 - share) / share**2)

    @cached_property
    def by_chance(self) -> Bools:
        """[topic]: whether the draw could have been another: some document is or might be out."""
        might = np.where(self.judged, self.probability[:-1] < 1, self.pooled)
        return np.bincount(self.topic[might], minlength=self.n_topics) > 0

    def _sums(self, amount: Floats) -> Floats:
        cell = self.topic.astype(np.int64) * (self.max_grade + 1) + self.grade
        n_cells = self.n_topics * (self.max_grade + 1)
        sums = np.bincount(cell[self.judged], amount[self.judged], minlength=n_cells)
        return sums.astype(np.float64, copy=False).reshape(self.n_topics, self.max_grade + 1)
