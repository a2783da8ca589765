"""Every run against one of them, or against whoever leads, kept current judgment by judgment."""

import numpy as np

from leadline.intervals.run_scores import RunScores
from leadline.tables.arrays import Bools, Floats
from leadline.tables.scores import SCORE_NOISE


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
