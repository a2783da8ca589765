"""Scores and differences kept current judgment by judgment."""

import numpy as np

from leadline.completions.bounds import EntryWeights
from leadline.data.arrays import Bools, Floats, Int32s
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE
from leadline.measures.measure import Weighted


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


class Rivals:
    """For every run s, the largest that score_s - score_reference can still become.

    upper_s = base_s - base_ref + (1/T) * sum over unjudged d of max(0, c_sd - c_ref,d). Tails
    beyond the lists' ends are left out, because no judgment can close them. What is judged, and
    what was found, is read from `scores`, which must know of a change before this does.
    """

    def __init__(self, scores: RunScores, reference: int) -> None:
        self.scores = scores
        self.face(reference)

    def face(self, reference: int) -> None:
        """Compare all runs with this one."""
        self.reference = reference
        self.weight = self.scores.of_run(reference)
        self.surplus = self.scores.surplus(self.weight, self.scores.closed)

    @property
    def upper(self) -> Floats:
        """The upper end of the joint interval of each run's difference to the reference."""
        base = self.scores.mean_base
        ends: Floats = base - base[self.reference] + self.surplus
        return ends

    def close(self, pair: int) -> None:
        """A pair was judged."""
        self._move(pair, -1.0)

    def reopen(self, pair: int) -> None:
        """A pair that was judged is unjudged again."""
        self._move(pair, 1.0)

    def _move(self, pair: int, sign: float) -> None:
        run, c = self.scores.of(pair)
        above = np.maximum(c - self.weight[pair], 0.0)
        self.surplus[run] += sign * above / self.scores.n_topics


class Contest(Rivals):
    """The same against the leader: the run with the highest base, of equals the first by name."""

    def __init__(self, scores: RunScores) -> None:
        super().__init__(scores, leader_of(scores))

    @property
    def contenders(self) -> Bools:
        """Runs that may still turn out better than the leader."""
        may: Bools = self.upper > SCORE_NOISE
        may[self.reference] = False
        return may

    def _move(self, pair: int, sign: float) -> None:
        super()._move(pair, sign)
        leader = leader_of(self.scores)
        if leader != self.reference:
            self.face(leader)


def leader_of(scores: RunScores) -> int:
    """The run with the highest base, of equals the first by name."""
    base = scores.mean_base
    return scores.runs.first_by_name(base >= base.max() - SCORE_NOISE)
