"""What was found of every run's score and what is still open of it, judgment by judgment."""

import numpy as np

from leadline.intervals.entry_weights import EntryWeights
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int32s
from leadline.tables.runs import Runs


class RunScores(EntryWeights):
    """Per run and topic the weight that was found and the weight that is open.

    `base[s, t]` is the weight of documents told relevant; `residual[s, t]` is what all ranks weigh,
    1 by RBP, minus the weight of documents handled, so it keeps the tail beyond the list. Closing a
    pair takes its weight from the residuals, adding gives its gain to the bases. `open` are the
    pairs that may be chosen.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        super().__init__(runs, measure)
        self.topic: Int32s = runs.pairs.topic
        self.base: Floats = np.zeros((self.n_runs, self.n_topics))
        n = np.array([int(runs.length.max(initial=0))])
        whole = round(float(measure.weights(int(n[0])).sum() + measure.tail(n)[0]), 12)
        self.residual: Floats = np.full((self.n_runs, self.n_topics), whole)
        self.mean_base: Floats = np.zeros(self.n_runs)
        self.mean_residual: Floats = np.full(self.n_runs, whole)
        # Only pairs that some run returns can be chosen.
        self.open: Bools = np.diff(self.start) > 0
        self.closed: Bools = np.zeros(len(self.open), np.bool_)

    def close(self, pair: int) -> None:
        """The pair is handled: its weight leaves the residuals."""
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

    def rescale(self, topic: int, factor: float) -> None:
        """All weights of one topic count so many times what they did."""
        first, last = self.runs.pairs.topic_start[topic : topic + 2]
        self.c[self.start[first] : self.start[last]] *= factor
        for of_topics, mean in (
            (self.base, self.mean_base),
            (self.residual, self.mean_residual),
        ):
            of_topics[:, topic] *= factor
            mean[:] = of_topics.sum(axis=1) / self.n_topics

    def revalue(self, gain: Floats) -> None:
        """Every pair was found to be worth this much, whatever was added before."""
        cell = self.run * np.int64(self.n_topics) + self.topic[self.pair]
        found = np.bincount(cell, self.c * gain[self.pair], minlength=self.base.size)
        self.base[:] = found.reshape(self.base.shape)
        self.mean_base[:] = self.base.sum(axis=1) / self.n_topics

    def _move(self, pair: int, sign: float) -> None:
        run, c = self.of(pair)
        self.residual[run, self.topic[pair]] += sign * c
        self.mean_residual[run] += sign * c / self.n_topics

    def add(self, pair: int, gain: float) -> None:
        """The pair was found to be worth this much."""
        run, c = self.of(pair)
        self.base[run, self.topic[pair]] += c * gain
        self.mean_base[run] += c * gain / self.n_topics

    def settle(self, judged: Bools, gain: Floats) -> None:
        """Close all these pairs and add the gains, in their order: as one by one, only sooner."""
        new = judged & ~self.closed
        entry = np.flatnonzero(new[self.pair])
        run, topic, c = self.run[entry], self.topic[self.pair[entry]], self.c[entry]
        found = c * gain[self.pair[entry]]
        np.subtract.at(self.residual, (run, topic), c)
        np.subtract.at(self.mean_residual, run, c / self.n_topics)
        np.add.at(self.base, (run, topic), found)
        np.add.at(self.mean_base, run, found / self.n_topics)
        self.closed |= new
        self.open &= ~new
