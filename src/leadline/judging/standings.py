"""Where the runs stand after some judgments, kept current one judgment at a time."""

from functools import cached_property

import numpy as np

from leadline.completions.bounds import best_runs, gap_below, out_of_reach, weighty_heads
from leadline.completions.contest import Contest, Rivals, RunScores
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.data.scores import SCORE_NOISE
from leadline.judging.ledger import JudgedPairs
from leadline.judging.likely_winner import LikelyState
from leadline.judging.two_runs import TwoRunSample
from leadline.measures.measure import Weighted

MOST_RIVALS = 16
"""A reference takes a number per pair; those that are not asked for any more are let go."""


class Standings:
    """Own intervals, joint intervals with the leader, and who can still be best.

    `judged` is what all of it follows from. What costs time is made only when it is first asked
    for, and then kept current. `likely` is what the order says by a model, where it has one, and
    `two_runs` the batches that it sampled for the difference of two runs.
    """

    def __init__(
        self,
        runs: Runs,
        measure: Weighted,
        judgments: Judgments | None = None,
        likely: LikelyState | None = None,
        two_runs: TwoRunSample | None = None,
    ) -> None:
        self.runs, self.measure, self.likely = runs, measure, likely
        self.two_runs = two_runs
        self.judged = JudgedPairs(judgments)
        self._rivals: dict[int, Rivals] = {}

    def tell(self, pair: int, grade: int) -> None:
        """A pair was judged; one that is judged already keeps its grade."""
        if pair in self.judged:
            return
        self.judged.tell(pair, grade)
        if "scores" in self.__dict__:
            self._close(self.scores, pair, grade)
            for each in self._all_rivals():
                each.close(pair)

    def retract(self, pair: int) -> None:
        """A pair is unjudged, or not spent, again."""
        grade = self.judged.retract(pair)
        if grade is not None and "scores" in self.__dict__:
            self.scores.reopen(pair)
            self.scores.add(pair, -self._gain(grade))
            for each in self._all_rivals():
                each.reopen(pair)

    def _gain(self, grade: int) -> float:
        return float(self.measure.gain(grade)[grade])

    def _close(self, scores: RunScores, pair: int, grade: int) -> None:
        scores.close(pair)
        scores.add(pair, self._gain(grade))

    def _all_rivals(self) -> list[Rivals]:
        leading = [self.contest] if "contest" in self.__dict__ else []
        return [*leading, *self._rivals.values()]

    @cached_property
    def scores(self) -> RunScores:
        """Each run's own base and residual."""
        scores = RunScores(weighty_heads(self.runs, self.measure), self.measure)
        for pair, grade in self.judged.grade.items():
            self._close(scores, pair, grade)
        return scores

    @cached_property
    def contest(self) -> Contest:
        """Every run against the leader."""
        return Contest(self.scores)

    @cached_property
    def tail(self) -> Floats:
        """Weight beyond the end of the lists, mean over topics: open for ever."""
        tails: Floats = self._tails.mean(axis=1)
        return tails

    @cached_property
    def _tails(self) -> Floats:
        length = self.runs.length
        return self.measure.tail(length.ravel()).reshape(length.shape)

    @cached_property
    def _absent(self) -> Floats:
        """1 minus the weight of list and tail: ranks that a measure with a depth never fills."""
        length = self.runs.length
        weights = self.measure.weights(int(length.max(initial=0)))
        absent: Floats = 1 - np.concatenate([[0.0], weights.cumsum()])[length] - self._tails
        return absent

    @property
    def residuals(self) -> Floats:
        """Upper minus lower end of every run on every topic."""
        open_: Floats = self.scores.residual - self._absent
        return open_

    @property
    def residual(self) -> Floats:
        """Upper minus lower end of every run, mean over topics; the tail included."""
        open_: Floats = self.scores.mean_residual - self._absent.mean(axis=1)
        return open_

    @property
    def base(self) -> Floats:
        """What was found of each run's score, mean over topics: the lower end."""
        return self.scores.mean_base

    @property
    def upper(self) -> Floats:
        """The most that each run can score, mean over topics."""
        ends: Floats = self.base + self.residual
        return ends

    @property
    def projected(self) -> Floats:
        """Each run's score if what is open holds as much as what was judged; NaN if nothing was.

        Formula: base + r * base / (1 - r), r the residual
        """
        base, residual = self.base, self.residual
        closed = 1 - residual
        share = np.divide(base, closed, out=np.full(len(base), np.nan), where=closed > SCORE_NOISE)
        ends: Floats = base + residual * share
        return ends

    @property
    def leader(self) -> int:
        """The run with the highest base, of equals the first by name."""
        return self.contest.reference

    @property
    def may_be_best(self) -> Int64s:
        """The leader, and the runs that may still turn out better than it, highest upper first."""
        others = np.flatnonzero(self.contest.contenders)
        order = np.lexsort((self.runs.place_by_name[others], -self.contest.upper[others]))
        return np.concatenate([[self.leader], others[order]])

    @property
    def short_of_certain(self) -> Int64s:
        """Runs that cannot pass the leader by what they list, but could by what they do not.

        Joint intervals leave tails out, because no judgment can close them.
        """
        upper = self.contest.upper
        may: Bools = (upper <= SCORE_NOISE) & (upper + self.tail > SCORE_NOISE)
        may[self.leader] = False
        return np.flatnonzero(may)

    def upper_against(self, reference: int, most: int = MOST_RIVALS) -> Floats:
        """The most that each run's difference to this one can become; it is kept current then."""
        if reference == self.leader:
            return self.contest.upper
        rivals = self._rivals.pop(reference, None) or Rivals(self.scores, reference)
        self._rivals[reference] = rivals
        if len(self._rivals) > most:
            del self._rivals[next(iter(self._rivals))]
        return rivals.upper

    def gap(self, k: int = 1) -> float:
        """How far the best of the others can reach above the worst of the best k; never below 0."""
        return gap_below(self.base, self.upper, best_runs(self.runs, self.base, self.upper, k))

    def by_own_intervals(self, k: int = 1) -> Bools | None:
        """The best k, if none of the others can reach the worst of them; None while one can."""
        best = best_runs(self.runs, self.base, self.upper, k)
        return best if gap_below(self.base, self.upper, best) <= SCORE_NOISE else None

    def by_joint_intervals(self, k: int = 1) -> Bools | None:
        """The same by the joint intervals of all differences between the best k and the others."""
        if k == 1 and not self.contest.contenders.any():
            leads: Bools = np.arange(len(self.base)) == self.leader
            return leads
        ceiling = self.base + self.residual - self.tail
        best = best_runs(self.runs, self.base, ceiling, k)
        most = max(k, MOST_RIVALS)
        certain = out_of_reach(self.base, ceiling, best, lambda run: self.upper_against(run, most))
        return best if certain else None
