"""How much of what the runs return was judged, by run and rank."""

from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

LAST_RANKS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750)
"""Where a segment of ranks ends: single ranks first, then about half as many again."""


@dataclass(frozen=True, eq=False)
class JudgedByRank:
    """share[run, segment] of the entries at these ranks that was judged; NaN where no list goes.

    `first` and `last` are the ranks of each segment.
    """

    first: Int64s
    last: Int64s
    share: Floats


def judged_by_rank(runs: Runs, judgments: Judgments) -> JudgedByRank:
    """The share judged of every run, by segments of ranks down to the end of the longest list."""
    longest = int(runs.length.max(initial=0))
    last = np.array([end for end in LAST_RANKS if end < longest] + [longest] * (longest > 0), int)
    segment = np.repeat(np.arange(len(last)), np.diff(last, prepend=0))
    cell = runs.entries.run * np.int64(len(last)) + segment[runs.entries.rank - 1]
    n_cells = len(runs.names) * len(last)
    listed = np.bincount(cell, minlength=n_cells)
    judged = np.bincount(cell[judgments.judged[runs.pair]], minlength=n_cells)
    share = np.divide(judged, listed, out=np.full(n_cells, np.nan), where=listed > 0)
    first = np.concatenate([[1], last[:-1] + 1])[: len(last)]
    return JudgedByRank(first, last, share.reshape(len(runs.names), len(last)))
