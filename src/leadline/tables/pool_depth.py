"""How deep runs were pooled, told by what was judged."""

import numpy as np

from leadline.tables.arrays import Bools
from leadline.tables.judgments import Judgments
from leadline.tables.runs import UNRANKED, Runs

ALMOST_ALL = 0.9
"""Not all: qrels often lack a few documents of their pool."""


def pool_depth(runs: Runs, judgments: Judgments, pooled: Bools | None = None) -> int | None:
    """The depth to which these runs, or some of them, were pooled; None if they were not.

    The last rank d such that at this and every better rank nine of ten pairs that some pooled run
    has there, and none has higher, were judged.

    >>> from leadline.tables.pairs import Pairs
    >>> pairs = Pairs.of(["1"] * 3, ["a", "b", "c"])
    >>> run = Runs(pairs, ("x",), np.arange(3), np.array([[0]]), np.array([[3]]))
    >>> judged = np.array([True, True, False])
    >>> pool_depth(run, Judgments(pairs, judged, np.zeros(3)))
    2
    """
    best = (runs if pooled is None or pooled.all() else runs.only(pooled)).best_rank
    ranked = best < UNRANKED
    deepest = int(best[ranked].max(initial=0))
    n = np.bincount(best[ranked], minlength=deepest + 1)[1:]
    n_judged = np.bincount(best[ranked & judgments.judged], minlength=deepest + 1)[1:]
    short = np.flatnonzero(n_judged < ALMOST_ALL * n)
    reached = int(short[0]) if len(short) else deepest
    # A rank at which nothing is new says nothing.
    told = np.flatnonzero(n[:reached])
    return int(told[-1]) + 1 if len(told) else None
