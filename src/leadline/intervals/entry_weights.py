"""What each run gives to each pair that it returns: the weight of the rank."""

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.runs import Runs

NEGLIGIBLE_WEIGHT = 1e-15
"""Ranks that weigh less than this together decide nothing, far below what counts as equal."""


def weighty_ranks(measure: Weighted, n: int) -> int:
    """How many of the first n ranks are worth looking at: those below weigh nothing together."""
    from_here_on = measure.weights(n)[::-1].cumsum()[::-1]
    return int((from_here_on >= NEGLIGIBLE_WEIGHT).sum())


def weighty_heads(runs: Runs, measure: Weighted) -> Runs:
    """The lists down to where weights are too small to matter: a fraction of a long list."""
    return runs.cut(weighty_ranks(measure, int(runs.length.max(initial=0))))


class EntryWeights:
    """c[s, d], the weight of run s on pair d, by pair.

    Entries `start[pair]` to `start[pair + 1]` are those of one pair, in run order.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        postings = runs.postings
        self.runs = runs
        self.n_runs, self.n_topics = runs.length.shape
        self.start: Int64s = postings.start
        self.run: Int32s = postings.run
        self.c: Floats = measure.weights(int(postings.rank.max(initial=1)))[postings.rank - 1]
        self.pair = np.repeat(np.arange(len(runs.pairs), dtype=np.int32), np.diff(self.start))

    def of(self, pair: int) -> tuple[Int32s, Floats]:
        """The runs that return a pair, and their weights on it."""
        part = slice(self.start[pair], self.start[pair + 1])
        return self.run[part], self.c[part]

    def of_run(self, run: int) -> Floats:
        """The weight of each pair in one run, 0 where it does not return it."""
        weight = np.zeros(len(self.start) - 1)
        own = self.run == run
        weight[self.pair[own]] = self.c[own]
        return weight

    def surplus(self, reference: Floats, closed: Bools | None = None) -> Floats:
        """For every run s, (1/T) * sum over open pairs d of max(0, c_sd - reference_d).

        So much can the unjudged documents raise a run's mean above that of a run with these
        weights: an unjudged document that both return moves both.
        """
        above = np.maximum(self.c - reference[self.pair], 0.0)
        if closed is not None:
            above[closed[self.pair]] = 0.0
        surplus: Floats = np.bincount(self.run, above, minlength=self.n_runs) / self.n_topics
        return surplus
