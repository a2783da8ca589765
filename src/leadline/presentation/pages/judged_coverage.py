"""How much of what the runs return was judged, by run and rank."""

from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

ENDS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750)
"""Where a stretch of ranks ends: single ranks first, then about half as many again."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """share[run, stretch] of the entries at these ranks that was judged; NaN where no list goes.

    `first` and `last` are the ranks of each stretch.
    """

    first: Int64s
    last: Int64s
    share: Floats


def coverage(runs: Runs, judgments: Judgments) -> Coverage:
    """The share judged of every run, by stretches of ranks down to the end of the longest list."""
    longest = int((runs.stop - runs.start).max(initial=0))
    last = np.array([*(end for end in ENDS if end < longest), *([longest] if longest else [])])
    stretch = np.searchsorted(last, runs.entries.rank)
    cell = run_of_entries(runs) * len(last) + stretch
    n_cells = len(runs.names) * len(last)
    listed = np.bincount(cell, minlength=n_cells)
    judged = np.bincount(cell[judgments.judged[runs.pair]], minlength=n_cells)
    share = np.divide(judged, listed, out=np.full(n_cells, np.nan), where=listed > 0)
    first = np.concatenate([[1], last[:-1] + 1])[: len(last)]
    return Coverage(first, last, share.reshape(len(runs.names), len(last)))


def run_of_entries(runs: Runs) -> Int64s:
    """The run of every entry."""
    order = np.argsort(runs.start.ravel(), kind="stable")
    lengths = (runs.stop - runs.start).ravel()[order]
    return np.repeat(order // max(1, runs.start.shape[1]), lengths)


ALMOST_ALL = 0.9


def pool_depth(runs: Runs, judgments: Judgments, pooled: Bools) -> int:
    """The depth to which these runs were pooled, by what was judged; 0 if they were not.

    The last rank d such that at this and every better rank nine of ten pairs that some pooled run
    has there first were judged. Not all of them: qrels often lack a few documents of their pool.
    """
    mine = pooled[run_of_entries(runs)]
    rank, pair = runs.entries.rank[mine], runs.pair[mine]
    if not len(rank):
        return 0
    deepest = int(rank.max())
    best = np.full(len(runs.pairs), deepest + 1)
    np.minimum.at(best, pair, rank)
    n = np.bincount(best, minlength=deepest + 2)[1 : deepest + 1]
    n_judged = np.bincount(best[judgments.judged], minlength=deepest + 2)[1 : deepest + 1]
    short = np.flatnonzero(n_judged < ALMOST_ALL * n)
    reached = int(short[0]) if len(short) else deepest
    # A rank at which nothing is new says nothing.
    told = np.flatnonzero(n[:reached])
    return int(told[-1]) + 1 if len(told) else 0
