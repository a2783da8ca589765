"""The order that makes the winner certain soonest."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.intervals.contest import Contest
from leadline.intervals.run_scores import RunScores
from leadline.measures.measure import parse_numerator
from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.orders.heaviest import Heaviest
from leadline.orders.order import Choice, Order, Stepper, orders
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class Difference(Order):
    """Pairs that decide most between the leader and the runs that can still beat it.

    Formula: weight(d) = sum over contenders s of u_s^2 * |c_sd - c_Ld|, u_s = upper end of s - L

    L is the run with the highest base, of equals the first by name; contenders are the runs whose
    joint interval of the difference to L still reaches above 0. What all of them return at the same
    rank tells nothing about who wins and is not judged. When no contender is left there is nothing
    more to ask.

    A document that s has above L settles something if it is non-relevant, one that L has above s if
    it is relevant. `chance` is how likely a document is to be relevant: with q = chance,
    2 * ((1 - q) * max(0, c_sd - c_Ld) + q * max(0, c_Ld - c_sd)) stands for |c_sd - c_Ld|, which it
    is at one half.

    `measure` in the place of `p` names what decides: c is its weight, for nDCG that of DCG, the
    ideal left out. Relevant documents count 1.
    """

    exhaustive = False

    p: float | None = None
    rel: int = 1
    chance: float = 0.5
    measure: str = ""

    @property
    def weighted(self) -> Weighted:
        """RBP with p, or the sum of weights and gains that the measure is, or is a share of."""
        if self.p is not None:
            return RBP(p=self.p, rel=self.rel)
        # Relevant documents count 1: a session knows no gains above it.
        measure = parse_numerator(self.measure)
        if measure.gains == "binary":
            return measure
        return replace(measure, gains="binary")  # type: ignore[type-var]

    @property
    def learns_from_asking(self) -> bool:
        return False

    def __post_init__(self) -> None:
        if (self.p is None) == (not self.measure):
            raise ValueError("give p, as in Difference(p=0.8), or measure='nDCG@10': one of them")
        self.weighted  # noqa: B018 - a measure that will not do is refused at once
        if not 0 < self.chance < 1:
            raise ValueError(f"chance must lie between 0 and 1, not {self.chance}")

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_Deciding(self, runs), judgments)


class _Deciding(Stepper):
    def __init__(self, order: Difference, runs: Runs) -> None:
        self.order = order
        self.scores = RunScores(runs, order.weighted)
        self.contest = Contest(self.scores)
        scores = self.scores
        self.heaviest = Heaviest(scores.start, scores.run, scores.c, scores.open)
        self.leader: int | None = None

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k:
            self._follow_the_leader()
            factor = np.where(self.contest.contenders, self.contest.upper, 0.0) ** 2
            best = self.heaviest.best(factor) if factor.any() else None
            if best is None:
                break
            self.scores.open[best[0]] = False
            chosen.append(Choice(*best))
        return chosen

    def _follow_the_leader(self) -> None:
        """Shares of the runs that return a pair; the leader's for contenders that do not."""
        if self.leader != self.contest.reference:
            self.leader = self.contest.reference
            lead, q = self.contest.weight, self.order.chance
            of_leader = lead[self.scores.pair]
            above = self.scores.c - of_leader
            below = np.maximum(-above, 0.0) - of_leader
            share = 2 * ((1 - q) * np.maximum(above, 0.0) + q * below)
            self.heaviest.reshare(share, 2 * q * lead)

    def tell(self, pair: int, grade: int) -> None:
        if not self.scores.closed[pair]:
            self.scores.close(pair)
            self.scores.add(pair, float(grade >= self.order.weighted.rel))
            self.contest.close(pair)

    def retract(self, pair: int, grade: int | None) -> bool:
        if grade is not None:
            self.scores.reopen(pair)
            self.scores.add(pair, -float(grade >= self.order.weighted.rel))
            self.contest.reopen(pair)
            self.scores.open[pair] = False
        return True

    def spend(self, pair: int) -> None:
        self.scores.open[pair] = False

    def release(self, pair: int) -> None:
        if not self.scores.closed[pair]:
            self.scores.reopen(pair)
