"""The order that makes the winner certain soonest."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leadline.intervals.contest import Contest, leader_of
from leadline.intervals.entry_weights import weighty_heads
from leadline.intervals.run_scores import RunScores
from leadline.measures.measure import Measure, parse_measure
from leadline.orders.gains_told import GainsTold
from leadline.orders.heaviest import Heaviest
from leadline.orders.judged_by import JudgedBy
from leadline.orders.order import Choice, Stepper, orders
from leadline.tables.arrays import Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@orders.register
@dataclass(frozen=True)
class Difference(JudgedBy):
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

    `measure` in the place of `p` names what decides: c is its weight, and a document counts its
    gain as a share of the best grade's, the best that is known so far. For nDCG c is the discount
    over the topic's ideal as known so far, at least that of one document of the best grade: a topic
    with few relevant documents moves the mean more.
    """

    exhaustive = False

    p: float | None = None
    rel: int = 1
    chance: float = 0.5
    measure: str = ""

    @property
    def learns_from_asking(self) -> bool:
        return False

    def __post_init__(self) -> None:
        self.check_weights()
        if not 0 < self.chance < 1:
            raise ValueError(f"chance must lie between 0 and 1, not {self.chance}")

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_Deciding(self, runs), judgments)


class _Deciding(Stepper):
    def __init__(self, order: Difference, runs: Runs) -> None:
        self.order = order
        measure: Measure = parse_measure(order.measure) if order.measure else order.weighted
        if order.measure:
            # Beyond its depth nothing weighs, and all weights of a topic change with its ideal.
            runs = weighty_heads(runs, order.weighted)
        self.scores = RunScores(runs, order.weighted)
        self.gains = GainsTold(measure, runs.pairs)
        self.contest = Contest(self.scores)
        scores = self.scores
        self.heaviest = Heaviest(scores.start, scores.run, scores.c, scores.open)
        self.leader: int | None = None

    def _worth(self, topics: Iterable[int], anew: bool) -> None:
        """The ideal of a topic may have changed, and all its weights with it; or all gains have."""
        factors = [(topic, self.gains.factor(topic)) for topic in topics]
        for topic, factor in factors:
            if factor != 1.0:
                self.scores.rescale(topic, factor)
        if anew:
            self.scores.revalue(self.gains.of_pairs())
        if anew or any(factor != 1.0 for _, factor in factors):
            self.contest.face(leader_of(self.scores))
            self.leader = None

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k:
            self._follow_the_leader()
            factor = self._factor()
            best = self.heaviest.best(factor) if factor.any() else None
            if best is None:
                break
            self.scores.open[best[0]] = False
            chosen.append(Choice(*best))
        return chosen

    def weights(self, first: int, last: int) -> Floats:
        self._follow_the_leader()
        return self.heaviest.weights(self._factor(), first, last)

    def _factor(self) -> Floats:
        made: Floats = np.where(self.contest.contenders, self.contest.upper, 0.0) ** 2
        return made

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
            anew = self.gains.tell(pair, grade)
            self.scores.add(pair, self.gains.of(grade))
            self.contest.close(pair)
            self._worth(self._touched(pair, anew), anew)

    def retract(self, pair: int, grade: int | None) -> bool:
        if grade is not None:
            self.scores.reopen(pair)
            self.scores.add(pair, -self.gains.of(grade))
            anew = self.gains.forget(pair)
            self.contest.reopen(pair)
            self.scores.open[pair] = False
            self._worth(self._touched(pair, anew), anew)
        return True

    def _touched(self, pair: int, anew: bool) -> Iterable[int]:
        return range(self.scores.n_topics) if anew else [int(self.scores.topic[pair])]

    def spend(self, pair: int) -> None:
        self.scores.open[pair] = False

    def release(self, pair: int) -> None:
        if not self.scores.closed[pair]:
            self.scores.reopen(pair)

    def tell_all(self, judgments: Judgments) -> None:
        new = judgments.judged & ~self.scores.closed
        anew = self.gains.tell_all(new, judgments.grade)
        self.scores.settle(new, self.gains.of_pairs())
        touched = np.unique(self.scores.topic[new]).tolist()
        self._worth(range(self.scores.n_topics) if anew else touched, anew)
        self.contest.face(leader_of(self.scores))
        self.leader = None
