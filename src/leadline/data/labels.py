"""What noisy judges say of pairs: evidence for models, never a judgment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int32s, Int64s, read_only

NO_LABEL = -1
MOST_LEVELS = 6
"""A scale with more grades than that is cut into so many parts of about equal size."""


@dataclass(frozen=True, eq=False)
class NoisyLabels:
    """The grade that each judge gave to each pair [judges, pairs], NO_LABEL where none.

    Scales need not be alike, nor like that of the people who judge: what a grade is worth is
    learnt from pairs that people judged too.

    >>> labels = NoisyLabels(("model",), np.array([[0, 2, 2, -1]], np.int16))
    >>> [column.tolist() for column in labels.columns(np.arange(4))]
    [[0.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """

    judges: tuple[str, ...]
    grade: Int16s

    def __post_init__(self) -> None:
        if self.grade.ndim != 2 or len(self.grade) != len(self.judges):
            raise ValueError("labels have a row for each judge and a column for each pair")
        read_only(self.grade)

    def on(self, kept: Bools) -> NoisyLabels:
        """Those of some of the pairs."""
        return NoisyLabels(self.judges, self.grade[:, kept])

    @cached_property
    def level(self) -> Int16s:
        """The grades, those of a long scale as parts of it."""
        return read_only(np.array([_levels(row) for row in self.grade], np.int16))

    @cached_property
    def share(self) -> Floats:
        """The mean over judges of each pair's grade as a share of the judge's highest grade.

        NaN where no judge gave one.
        """
        given = self.grade != NO_LABEL
        top = np.maximum(self.grade.max(axis=1, initial=0), 1)[:, None]
        total = np.where(given, self.grade / top, 0.0).sum(axis=0)
        n = given.sum(axis=0)
        share = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
        return read_only(share)

    def columns(self, pair: Int32s | Int64s) -> list[Floats]:
        """For every judge, which grade a pair has: a column a grade but for the lowest.

        A judge that did not label all pairs has a column for those left out.
        """
        columns = []
        for level in self.level:
            there = np.unique(level).tolist()
            grades = [part for part in there if part != NO_LABEL]
            left_out = [NO_LABEL] if grades and NO_LABEL in there else []
            columns += [(level[pair] == part).astype(np.float64) for part in grades[1:] + left_out]
        return columns


def _levels(grade: Int16s) -> Int16s:
    """Grades of a long scale as parts of it; NO_LABEL stays."""
    given = grade[grade >= 0]
    if len(np.unique(given)) <= MOST_LEVELS:
        return grade
    ends = np.unique(np.quantile(given, np.linspace(0, 1, MOST_LEVELS + 1)[1:-1]))
    return np.where(grade >= 0, np.searchsorted(ends, grade), NO_LABEL).astype(np.int16)
