"""Where the runs stand after some judgments, kept current one judgment at a time."""

from functools import cached_property

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.orders.contest import EQUAL, Contest
from leadline.orders.run_scores import RunScores
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.runs import Runs

NOTHING = 1e-15
"""Ranks that weigh less than this together decide nothing, far below what counts as equal."""

MOST_RIVALS = 16
"""A reference takes a number per pair; those that are not asked for any more are let go."""


class Standings:
    """Own intervals, joint intervals with the leader, and who can still be best.

    What costs time is made only when it is first asked for, and then kept current. `given` counts
    the judgments that were there from the start.
    """

    def __init__(self, runs: Runs, measure: Weighted) -> None:
        self.runs, self.measure = runs, measure
        self.told: dict[int, float] = {}
        self.given = 0
        self._rivals: dict[int, Rival] = {}

    def tell(self, pair: int, gain: float) -> None:
        """A pair was judged."""
        if pair in self.told:
            return
        self.told[pair] = gain
        for part in ("holdings", "contest"):
            if part in self.__dict__:
                self._tell(self.__dict__[part], pair, gain)
        for rival in self._rivals.values():
            rival.tell(pair)

    def retract(self, pair: int) -> None:
        """A pair is unjudged again."""
        gain = self.told.pop(pair)
        if "holdings" in self.__dict__:
            self.holdings.add(pair, -gain)
            self.holdings.reopen(pair)
        if "contest" in self.__dict__:
            self.contest.retract(pair, gain)
        self._rivals.clear()

    @staticmethod
    def _tell(part: RunScores | Contest, pair: int, gain: float) -> None:
        if isinstance(part, Contest):
            part.tell(pair, gain)
        else:
            part.close(pair)
            part.add(pair, gain)

    @cached_property
    def holdings(self) -> RunScores:
        """Each run's own base and residual."""
        made = RunScores(self._heads, self.measure)
        for pair, gain in self.told.items():
            self._tell(made, pair, gain)
        return made

    @cached_property
    def contest(self) -> Contest:
        """Every run against the leader."""
        made = Contest(self._heads, self.measure)
        for pair, gain in self.told.items():
            self._tell(made, pair, gain)
        return made

    @cached_property
    def _heads(self) -> Runs:
        """The lists down to where weights are too small to matter: a fraction of a long list."""
        length = self.runs.stop - self.runs.start
        weights = self.measure.weights(int(length.max(initial=0)))
        below = weights[::-1].cumsum()[::-1]
        return heads(self.runs, int((below >= NOTHING).sum()))

    @cached_property
    def tail(self) -> Floats:
        """Weight beyond the end of the lists, mean over topics: open for ever."""
        tails: Floats = self._tails.mean(axis=1)
        return tails

    @cached_property
    def _tails(self) -> Floats:
        length = self.runs.stop - self.runs.start
        return self.measure.tail(length.ravel()).reshape(length.shape)

    @cached_property
    def _absent(self) -> Floats:
        """1 minus the weight of list and tail: ranks that a measure with a depth never fills."""
        length = self.runs.stop - self.runs.start
        weights = self.measure.weights(int(length.max(initial=0)))
        absent: Floats = 1 - np.concatenate([[0.0], weights.cumsum()])[length] - self._tails
        return absent

    @property
    def residuals(self) -> Floats:
        """Upper minus lower end of every run on every topic."""
        open_: Floats = self.holdings.residual - self._absent
        return open_

    @property
    def residual(self) -> Floats:
        """Upper minus lower end of every run, mean over topics; the tail included."""
        open_: Floats = self.holdings.mean_residual - self._absent.mean(axis=1)
        return open_

    @property
    def upper(self) -> Floats:
        """The most that each run can score, mean over topics."""
        ends: Floats = self.holdings.mean_base + self.residual
        return ends

    @property
    def projected(self) -> Floats:
        """Each run's score if what is open holds as much as what was judged; NaN if nothing was.

        Formula: base + r * base / (1 - r), r the residual
        """
        base, residual = self.holdings.mean_base, self.residual
        closed = 1 - residual
        share = np.divide(base, closed, out=np.full(len(base), np.nan), where=closed > EQUAL)
        ends: Floats = base + residual * share
        return ends

    @property
    def leader(self) -> int:
        """The run with the highest base."""
        return self.contest.leader

    @property
    def may_be_best(self) -> Int64s:
        """The leader, and the runs that may still turn out better than it, highest reach first."""
        contest = self.contest
        others = np.flatnonzero(contest.contenders)
        order = np.argsort(-contest.upper[others], kind="stable")
        return np.concatenate([[contest.leader], others[order]])

    @property
    def short_of_certain(self) -> Int64s:
        """Runs that cannot pass the leader by what they list, but could by what they do not.

        Joint intervals leave tails out, because no judgment can close them.
        """
        upper = self.contest.upper
        may: Bools = (upper <= EQUAL) & (upper + self.tail > EQUAL)
        may[self.contest.leader] = False
        return np.flatnonzero(may)

    def rival(self, reference: int, most: int = MOST_RIVALS) -> "Rival":
        """Every run against this one."""
        rival = self._rivals.pop(reference, None) or Rival(self, reference)
        self._rivals[reference] = rival
        if len(self._rivals) > most:
            del self._rivals[next(iter(self._rivals))]
        return rival

    def by_own_intervals(self, k: int = 1) -> Bools | None:
        """The best k, if none of the others can reach the worst of them; None while one can."""
        base, upper = self.holdings.mean_base, self.upper
        best = top(base, upper, k)
        if best.all() or upper[~best].max() <= base[best].min() + EQUAL:
            return best
        return None

    def gap(self, k: int = 1) -> float:
        """How far the best of the others can reach above the worst of the best k; never below 0."""
        base, upper = self.holdings.mean_base, self.upper
        best = top(base, upper, k)
        return 0.0 if best.all() else max(0.0, float(upper[~best].max() - base[best].min()))

    def by_joint_intervals(self, k: int = 1) -> Bools | None:
        """The same by the joint intervals of all differences between the best k and the others."""
        contest = self.contest
        if k == 1 and not contest.contenders.any():
            leads: Bools = np.arange(contest.n_runs) == contest.leader
            return leads
        ceiling = contest.base + self.residual - self.tail
        best = top(contest.base, ceiling, k)
        if best.all():
            return best
        # Necessary and nearly free: if everything open is relevant, the others must stay below.
        if ceiling[~best].max() > ceiling[best].min() + 2 * EQUAL:
            return None
        inside = np.flatnonzero(best)
        # The lowest of the best is the likeliest to be reached, so most answers need no other.
        for reference in inside[np.argsort(contest.base[inside], kind="stable")].tolist():
            if reference == contest.leader:
                upper = contest.upper
            else:
                upper = self.rival(reference, max(k, MOST_RIVALS)).upper
            if (upper[~best] > EQUAL).any():
                return None
        return best


def heads(runs: Runs, depth: int) -> Runs:
    """The first so many documents of every list, over the same pairs."""
    length = np.minimum(runs.stop - runs.start, depth)
    if (length == runs.stop - runs.start).all():
        return runs
    stop = length.cumsum().reshape(length.shape)
    first = np.repeat((runs.start - (stop - length)).ravel(), length.ravel())
    pair = runs.pair[np.arange(length.sum()) + first]
    return Runs(runs.pairs, runs.names, pair, stop - length, stop, runs.group)


def top(base: Floats, ceiling: Floats, k: int) -> Bools:
    """The k runs with the highest base; of those that tie for the last place, the highest ceiling.

    Only that choice can be certain: a run with more to come than its equal may still pass it.
    """
    if k >= len(base):
        return np.ones(len(base), np.bool_)
    last = np.partition(base, len(base) - k)[len(base) - k]
    chosen: Bools = base > last + EQUAL
    tied = np.flatnonzero(~chosen & (base >= last - EQUAL))
    order = np.argsort(-ceiling[tied], kind="stable")
    chosen[tied[order[: k - int(chosen.sum())]]] = True
    return chosen


class Rival:
    """How far every run can still rise against one that stays the same."""

    def __init__(self, standing: Standings, reference: int) -> None:
        contest = standing.contest
        self.contest, self.reference = contest, reference
        self.of_reference = np.zeros(len(contest.judged))
        mine = contest.run == reference
        self.of_reference[contest.pair[mine]] = contest.c[mine]
        above = np.maximum(contest.c - self.of_reference[contest.pair], 0.0)
        above[contest.judged[contest.pair]] = 0.0
        sums = np.bincount(contest.run, weights=above, minlength=contest.n_runs)
        self.reach: Floats = sums / contest.n_topics

    @property
    def upper(self) -> Floats:
        """The upper end of the joint interval of each run's difference to the reference."""
        base = self.contest.base
        ends: Floats = base - base[self.reference] + self.reach
        return ends

    def tell(self, pair: int) -> None:
        """A pair was judged, whatever its grade."""
        contest = self.contest
        part = slice(contest.start[pair], contest.start[pair + 1])
        above = np.maximum(contest.c[part] - self.of_reference[pair], 0.0)
        self.reach[contest.run[part]] -= above / contest.n_topics
