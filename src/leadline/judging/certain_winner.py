"""The order that makes the winner certain soonest, and what is worth judging."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from leadline.completions.bounds import weighty_heads
from leadline.completions.contest import Contest, RunScores, leader_of
from leadline.data.arrays import Floats
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.by_weight import Heaviest, MoffatC, ObservedGains
from leadline.judging.order import Choice, JudgedBy, Order, Stepper, orders
from leadline.measures.measure import Measure, parse_measure
from leadline.measures.rbp import RBP


@orders.register
@dataclass(frozen=True)
class CertainWinner(JudgedBy):
    """Pairs with the largest influence on the bounds between the leader and its contenders.

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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.chance < 1:
            raise ValueError(f"chance must lie between 0 and 1, not {self.chance}")

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_Deciding(self, runs), judgments)


class _Deciding(Stepper):
    def __init__(self, order: CertainWinner, runs: Runs) -> None:
        self.order = order
        measure: Measure = parse_measure(order.measure) if order.measure else order.weighted
        if order.measure:
            # Beyond its depth nothing weighs, and all weights of a topic change with its ideal.
            runs = weighty_heads(runs, order.weighted)
        self.scores = RunScores(runs, order.weighted)
        self.gains = ObservedGains(measure, runs.pairs)
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


HOW_MANY = 10
USUAL_P = 0.8


@dataclass(frozen=True)
class Worth:
    """An unjudged pair, its weight, how many runs return it, and the best of them with its rank."""

    topic: str
    doc: str
    weight: float | None
    n_runs: int
    best_run: str
    best_rank: int


@dataclass(frozen=True)
class WorthJudging:
    """Pairs in the order in which to judge them, and whether they can still change who is best.

    `measure` is the one by which they are chosen. `by_ideals` says that this holds for the ideals
    as judged so far, which may still grow. `n_unjudged` counts the pairs that a run returns and
    nobody judged.
    """

    order: Order
    measure: Measure
    decides: bool
    pairs: tuple[Worth, ...]
    n_unjudged: int

    @property
    def by_ideals(self) -> bool:
        """Whether the measure is a share of an ideal."""
        return self.measure.numerator != self.measure


def worth_judging(
    runs: Runs, judgments: Judgments, measures: Iterable[Measure], n: int = HOW_MANY
) -> WorthJudging:
    """Choose what to judge next to learn who is best, or, where that is certain, to narrow bounds.

    By the first of the measures that weighs ranks and leaves something to judge; where none does,
    by RBP(p=0.8).
    """
    weighted = [each for each in measures if each.numerator and not each.judged_only]
    usual = RBP(p=USUAL_P)
    listed = np.zeros(len(judgments.judged), np.bool_)
    listed[runs.pair] = True
    n_unjudged = int((listed & ~judgments.judged).sum())
    decide, narrow = True, False
    for some in (weighted, [usual]) if usual not in weighted else (weighted,):
        for decides, measure in product((decide, narrow), some):
            order = _order(measure, decides)
            # Deeper ranks weigh nothing, and a thousand documents take long to set up.
            chosen = order.start(weighty_heads(runs, order.weighted), judgments).next(n)
            if chosen:
                pairs = tuple(_worth(runs, choice) for choice in chosen)
                return WorthJudging(order, measure, decides, pairs, n_unjudged)
    return WorthJudging(_order(usual, decide), usual, decide, (), n_unjudged)


def _order(measure: Measure, decides: bool) -> CertainWinner | MoffatC:
    """The order that decides, or narrows the bounds, by a measure that weighs ranks."""
    kind = CertainWinner if decides else MoffatC
    p, rel = getattr(measure, "p", None), getattr(measure, "rel", 1)
    if p is not None and measure == RBP(p=p, rel=rel):
        return kind(p=p, rel=rel)
    return kind(measure=str(measure))


def _worth(runs: Runs, choice: Choice) -> Worth:
    at = np.flatnonzero(runs.pair == choice.pair)
    # The first by name of those that rank it best.
    best = at[np.lexsort((runs.place_by_name[runs.entries.run[at]], runs.entries.rank[at]))[0]]
    return Worth(
        *runs.pairs.name(choice.pair),
        choice.weight,
        len(at),
        runs.names[int(runs.entries.run[best])],
        int(runs.entries.rank[best]),
    )
