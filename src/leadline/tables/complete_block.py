"""Lists of which every document has a grade, as measures see them: judged, or drawn by chance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.tables.arrays import Bools, Int16s, Int64s
from leadline.tables.lists import Block, cells_of


@dataclass(frozen=True, eq=False)
class CompleteBlock(Block):
    """A block without unjudged documents; grade 0 stands in the cells beyond a list's end too."""

    @classmethod
    def of(cls, grade: Int16s, length: Int64s, counts: Int64s) -> "CompleteBlock":
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
