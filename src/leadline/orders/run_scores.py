"""Every run's weight on every pair that it returns, and what is still open of it."""

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.runs import Runs


class RunScores:
    """c[s, d] of all entries by pair, and per run and topic what was found and what is open.

    `base[s, t]` is the weight of documents told relevant; `residual[s, t]` is 1 minus the weight of
    documents handled, so it keeps the tail beyond the list. Choosing a pair closes its weight,
    telling adds its gain.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        holders = runs.postings
        self.runs = runs
        self.n_runs, self.n_topics = runs.start.shape
        self.start: Int64s = holders.start
        self.run: Int32s = holders.run
        deepest = int(holders.rank.max(initial=1))
        self.c: Floats = measure.weights(deepest)[holders.rank - 1]
        self.topic: Int32s = runs.pairs.topic
        self.base: Floats = np.zeros((self.n_runs, self.n_topics))
        self.residual: Floats = np.ones((self.n_runs, self.n_topics))
        self.mean_base: Floats = np.zeros(self.n_runs)
        self.mean_residual: Floats = np.ones(self.n_runs)
        # Out or judged; only pairs that some run returns can be chosen.
        self.open: Bools = np.diff(self.start) > 0
        self.closed: Bools = np.zeros(len(self.open), np.bool_)

    def of(self, pair: int) -> tuple[Int32s, Floats]:
        """The runs that return a pair, and their weights on it."""
        part = slice(self.start[pair], self.start[pair + 1])
        return self.run[part], self.c[part]

    def close(self, pair: int) -> None:
        """The pair is chosen: its weight leaves the residuals."""
        if not self.closed[pair]:
            self._move(pair, -1.0)
        self.closed[pair] = True
        self.open[pair] = False

    def reopen(self, pair: int) -> None:
        """The pair comes back unjudged."""
        if self.closed[pair]:
            self._move(pair, 1.0)
        self.closed[pair] = False
        self.open[pair] = self.start[pair + 1] > self.start[pair]

    def _move(self, pair: int, sign: float) -> None:
        run, c = self.of(pair)
        self.residual[run, self.topic[pair]] += sign * c
        self.mean_residual[run] += sign * c / self.n_topics

    def add(self, pair: int, gain: float) -> None:
        """The pair was found to be worth this much."""
        run, c = self.of(pair)
        self.base[run, self.topic[pair]] += c * gain
        self.mean_base[run] += c * gain / self.n_topics
