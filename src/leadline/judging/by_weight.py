"""Orders that take the heaviest pair: methods A, B and C of Moffat, Webber and Zobel.

A pair weighs sum over its entries of share * factor[cell], plus extra * sum of factors. When
factors change, no weight grows by more than the largest ratio of a new factor to the old one. So
all pairs are weighed once in a while, the heaviest of them are kept at hand and weighed at every
step, and all others are bounded by the heaviest of them times that ratio.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from leadline.completions.contest import RunScores
from leadline.data.arrays import Bools, Floats, Int16s, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.pairs import Pairs
from leadline.data.runs import Runs
from leadline.judging.order import Choice, JudgedBy, Stepper, orders
from leadline.measures.measure import NOT_WEIGHTED, Measure, parse_numerator


class ObservedGains:
    """Grades of pairs as shares of the best grade's gain, and ideals in the same unit.

    The best grade is the measure's `max_grade`, else the best of all grades told, so that it is all
    one whether judgments were there at the start or were told. An unjudged document is worth from 0
    to 1. Grades above the measure's own scale count as its best. A topic's ideal is at least that
    of one document of the best grade: the least to be found.
    """

    def __init__(self, measure: Measure, pairs: Pairs) -> None:
        weighted = measure.numerator
        if weighted is None:
            raise ValueError(f"{measure} {NOT_WEIGHTED}")
        self.measure, self.weighted, self.pairs = measure, weighted, pairs
        self.grade: Int32s = np.full(len(pairs), -1, np.int32)
        self.ideal: Floats = np.ones(len(pairs.topics))
        self.best = 0
        self._scale()

    def tell(self, pair: int, grade: int) -> bool:
        """Whether the grade is better than all before it, so that all gains change."""
        self.grade[pair] = grade
        return grade > self.best and self._scale()

    def tell_all(self, told: Bools, grade: Int16s) -> bool:
        """Whether one of these grades is better than all before them, so that all gains change."""
        self.grade[told] = grade[told]
        return int(grade[told].max(initial=0)) > self.best and self._scale()

    def forget(self, pair: int) -> bool:
        """Whether the best grade goes with it, so that all gains change."""
        grade, self.grade[pair] = int(self.grade[pair]), -1
        return grade == self.best and self._scale()

    def of(self, grade: int) -> float:
        """What a grade is worth, from 0 to 1."""
        return float(self.gain[min(grade, len(self.gain) - 1)])

    def of_pairs(self) -> Floats:
        """The same of every pair, 0 for those that have no grade."""
        kept: Int64s = np.clip(self.grade, 0, len(self.gain) - 1)
        return np.where(self.grade < 0, 0.0, self.gain[kept])

    def factor(self, topic: int) -> float:
        """By what the topic's weights are to be multiplied, for its ideal as it is now."""
        first, last = self.pairs.topic_start[topic : topic + 2]
        told = self.grade[first:last]
        told = np.clip(told[told >= 0], 0, len(self.gain) - 1)
        counts = np.bincount(told, minlength=len(self.gain))
        (ideal,), _ = self.measure.ideals(counts[None, :], self.best)
        before, self.ideal[topic] = self.ideal[topic], max(1.0, float(ideal) / self.unit)
        return float(before / self.ideal[topic])

    def _scale(self) -> bool:
        """The gains for the best grade as it is now; whether they are others than before."""
        most = int(self.grade.max(initial=0))
        top, before = self.weighted.max_grade, self.best
        self.best = max(most, self.weighted.rel) if top is None else top
        gain = self.weighted.gain(self.best)
        self.unit = float(gain.max()) or 1.0
        self.gain: Floats = gain / self.unit
        return self.best != before and self.weighted.gains != "binary"


NEAR = 1e-10
"""Weights that differ by less than this share are equal, so that rounding decides nothing."""

AT_HAND = 2048
MANY = 200_000
"""Entries from which on a sparse matrix is worth its import."""

FEW = 512
"""Cells up to which the pairs at hand are kept as a full matrix, weighed by one product."""


class Heaviest:
    """Pairs with entries start[pair] to start[pair + 1], each with a share and a cell.

    `open` is the caller's own mask of pairs that may be chosen; it may change between calls.
    """

    def __init__(self, start: Int64s, cell: Int32s, share: Floats, open_: Bools) -> None:
        self.start, self.cell, self.share, self.open = start, cell, share, open_
        self.extra: Floats | None = None
        self._some = np.flatnonzero(np.diff(start) > 0)
        self._at_hand: Int64s | None = None
        self._table: Any = None
        self._parts: dict[tuple[int, int], Any] = {}

    def reshare(self, share: Floats, extra: Floats) -> None:
        """Other shares, and an extra share per pair in the sum of all factors."""
        self.share, self.extra = share, extra
        self._at_hand = self._table = None
        self._parts.clear()

    def best(self, factor: Floats) -> tuple[int, float] | None:
        """The open pair that weighs most, the lowest of those that weigh the same; None if none."""
        for _ in range(2):
            if self._at_hand is None:
                self._weigh_all(factor)
            found = self._best_at_hand(factor)
            if found is not None:
                return found
            self._at_hand = None
        return None

    def weights(self, factor: Floats, first: int, last: int) -> Floats:
        """What the open pairs from `first` up to `last` weigh; 0 for all others."""
        if first == 0 and last == len(self.open):
            weights = self._sums(factor)
        else:
            weights = self._sums_of_part(factor, first, last)
        if self.extra is not None:
            weights += self.extra[first:last] * factor.sum()
        able = self.open[first:last] & (np.diff(self.start[first : last + 1]) > 0)
        return np.where(able, np.maximum(weights, 0.0), 0.0)

    def _weigh(self, cell: Int32s, share: Floats, first: Int64s, factor: Floats) -> Floats:
        weights: Floats = np.add.reduceat(share * factor[cell], first)
        return weights

    def _sums_of_part(self, factor: Floats, first: int, last: int) -> Floats:
        """What the entries of the pairs from `first` up to `last` weigh."""
        if self._needs_table:
            if (first, last) not in self._parts:
                self._parts[first, last] = self._as_table(first, last, len(factor))
            made: Floats = self._parts[first, last] @ factor
            return made
        weights = np.zeros(last - first)
        begin, end = self.start[first], self.start[last]
        some = np.flatnonzero(np.diff(self.start[first : last + 1]) > 0)
        if len(some):
            cell, share = self.cell[begin:end], self.share[begin:end]
            weights[some] = self._weigh(cell, share, self.start[first + some] - begin, factor)
        return weights

    @property
    def _needs_table(self) -> bool:
        return MANY < len(self.cell) < 2**31

    def _as_table(self, first: int, last: int, n_cells: int) -> Any:
        """Pairs as rows: weighed in one pass, a fraction of what it takes with temporaries."""
        from scipy.sparse import csr_array

        begin, end = self.start[first], self.start[last]
        row = (self.start[first : last + 1] - begin).astype(np.int32)
        parts = self.share[begin:end], self.cell[begin:end], row
        return csr_array(parts, shape=(last - first, n_cells))

    def _sums(self, factor: Floats) -> Floats:
        """What the entries of every pair weigh."""
        if self._needs_table:
            if self._table is None:
                self._table = self._as_table(0, len(self.open), len(factor))
            made: Floats = self._table @ factor
            return made
        weights = np.zeros(len(self.open))
        if len(self._some):
            weights[self._some] = self._weigh(self.cell, self.share, self.start[self._some], factor)
        return weights

    def _weigh_all(self, factor: Floats) -> None:
        pairs = self._some[self.open[self._some]]
        if not len(pairs):
            self._at_hand = pairs
            self._bound = -np.inf
            return
        weights = self._sums(factor)
        if self.extra is not None:
            weights += self.extra * factor.sum()
        mine = weights[pairs]
        if len(pairs) > AT_HAND:
            least = np.partition(mine, len(mine) - AT_HAND)[len(mine) - AT_HAND]
            # Never part of a tie: what weighs nearly as much as the last one comes along.
            near = mine >= least * (1 - 10 * NEAR)
            self._bound = float(mine[~near].max(initial=-np.inf))
            pairs = pairs[near]
        else:
            self._bound = -np.inf
        self._factor = factor.copy()
        self._keep(pairs)

    def _keep(self, pairs: Int64s) -> None:
        self._at_hand = pairs
        first, last = self.start[pairs], self.start[pairs + 1]
        length = last - first
        self._first = np.cumsum(length) - length
        entry = np.arange(length.sum()) + np.repeat(first - self._first, length)
        self._cell, self._share = self.cell[entry], self.share[entry]
        self._matrix: Floats | None = None
        if len(self._factor) <= FEW:
            self._matrix = np.zeros((len(pairs), len(self._factor)))
            row = np.repeat(np.arange(len(pairs)), length)
            self._matrix[row, self._cell] = self._share

    def _best_at_hand(self, factor: Floats) -> tuple[int, float] | None:
        pairs = self._at_hand
        assert pairs is not None
        if not len(pairs):
            return None
        if self._matrix is not None:
            weights = self._matrix @ factor
        else:
            weights = self._weigh(self._cell, self._share, self._first, factor)
        if self.extra is not None:
            weights += self.extra[pairs] * factor.sum()
        weights[~self.open[pairs]] = -np.inf
        most = float(weights.max())
        if most == -np.inf:
            return None
        # What weighed nothing by a factor of nothing has no bound: then this is not a number.
        if not most * (1 - NEAR) > self._bound * self._growth(factor):
            return None
        # A weight of nothing, or of rounding, is no reason to judge.
        if most <= 0:
            return None
        at = int(np.argmax(weights >= most * (1 - NEAR)))
        return int(pairs[at]), float(weights[at])

    def _growth(self, factor: Floats) -> float:
        """How much any weight may have grown since all were weighed."""
        if self._bound == -np.inf:
            return 1.0
        changed = factor > self._factor
        if not changed.any():
            return 1.0
        with np.errstate(divide="ignore"):
            return float((factor[changed] / self._factor[changed]).max())


Scope = Literal["mean", "topic"]


class ByWeight(JudgedBy):
    """An order whose weights are sum over runs of c * factor(run)."""

    scope: Scope = "mean"
    batch: int = 1

    @property
    def learns_from_asking(self) -> bool:
        return self.batch > 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            raise ValueError(f"batch must be at least 1, not {self.batch}")

    @abstractmethod
    def factor(self, base: Floats, residual: Floats) -> Floats:
        """How much a run's weights count, from what was found of its score and what is open."""

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_HeaviestFirst(self, runs), judgments)


@dataclass
class _Batch:
    """Factors that hold until so many pairs more are chosen."""

    factor: Floats
    left: int


class _HeaviestFirst(Stepper):
    def __init__(self, order: ByWeight, runs: Runs) -> None:
        self.order = order
        self.scores = RunScores(runs, order.weighted)
        # The sum of weights and gains: a topic's ideal, of nDCG say, plays no part here.
        of_grades = parse_numerator(order.measure) if order.measure else order.weighted
        self.gains = ObservedGains(of_grades, runs.pairs)
        scores = self.scores
        cell = scores.run
        if order.scope == "topic":
            topic = scores.topic[scores.pair]
            cell = (scores.run * np.int32(scores.n_topics) + topic).astype(np.int32)
        self.heaviest = Heaviest(scores.start, cell, scores.c, scores.open)
        self.batch: _Batch | None = None

    def _factor(self) -> Floats:
        scores = self.scores
        if self.order.scope == "topic":
            return self.order.factor(scores.base.ravel(), scores.residual.ravel())
        return self.order.factor(scores.mean_base, scores.mean_residual)

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k:
            if self.batch is None or not self.batch.left:
                self.batch = _Batch(self._factor(), self.order.batch)
            best = self.heaviest.best(self.batch.factor)
            if best is None:
                break
            self.batch.left -= 1
            self.scores.close(best[0])
            chosen.append(Choice(*best))
        return chosen

    def weights(self, first: int, last: int) -> Floats:
        return self.heaviest.weights(self._factor(), first, last)

    def tell(self, pair: int, grade: int) -> None:
        self.scores.close(pair)
        anew = self.gains.tell(pair, grade)
        self._add(pair, self.gains.of(grade), anew)

    def retract(self, pair: int, grade: int | None) -> bool:
        if grade is not None:
            gain = self.gains.of(grade)
            self._add(pair, -gain, self.gains.forget(pair))
        return True

    def _add(self, pair: int, gain: float, anew: bool) -> None:
        """Add to what was found; all of it `anew` if the gains of grades are others than before."""
        if anew:
            self.scores.revalue(self.gains.of_pairs())
        else:
            self.scores.add(pair, gain)

    def spend(self, pair: int) -> None:
        self.scores.close(pair)

    def release(self, pair: int) -> None:
        self.scores.reopen(pair)


@orders.register
@dataclass(frozen=True)
class MoffatA(ByWeight):
    """Pairs with the largest total weight over all runs; fixed before the first judgment.

    Formula: weight(d) = sum_s c_sd, c_sd = (1 - p) p^(rank - 1)

    `measure` in the place of `p` names what weighs ranks, for nDCG the discount of DCG. Its gains
    change nothing: before it is judged, any document may have the best grade.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    rel: int = 1
    measure: str = ""

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """All runs count the same."""
        return np.ones_like(residual)


@orders.register
@dataclass(frozen=True)
class MoffatB(ByWeight):
    """Pairs with the largest weight in runs with large residuals.

    Formula: weight(d) = sum_s c_sd * r_s, r_s = residual of run s

    It depends on which pairs were chosen, not on their grades. scope=mean takes r over all topics,
    scope=topic that of the pair's own topic. With batch=n the weights are refreshed after every n
    pairs.

    `measure` in the place of `p` names what weighs ranks, for nDCG the discount of DCG. Its gains
    change nothing: before it is judged, any document may have the best grade.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    scope: Scope = "mean"
    batch: int = 1
    rel: int = 1
    measure: str = ""

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """What is open."""
        return residual.copy()


@orders.register
@dataclass(frozen=True)
class MoffatC(ByWeight):
    """Pairs with the largest weight in runs with high scores and large residuals.

    Formula: weight(d) = sum_s c_sd * r_s * (base_s + r_s / 2)^power

    Adaptive: a run that is found good draws more judgments. scope=mean takes r and base over all
    topics, as the paper does; scope=topic those of the pair's own topic, which finds more relevant
    documents. With batch=n the weights are refreshed after every n pairs: within a batch an
    assessor's grades do not decide what comes next.

    `measure` in the place of `p` names what weighs ranks, for nDCG the discount of DCG. With graded
    gains base_s adds a document's gain as a share of the best grade's, the best known so far.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    scope: Scope = "mean"
    batch: int = 1
    power: float = 3.0
    rel: int = 1
    measure: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.power < 0:
            raise ValueError(f"power must not be negative, not {self.power}")

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """What is open, times the middle of the interval to the power."""
        factor: Floats = residual * (base + residual / 2) ** self.power
        return factor


PRIOR = 0.05
"""The share of a run's weight that counts as judged, half of it relevant, before anything is."""

CONTENDER = 0.7
"""A run that can still be best counts as if its score were this share of the leader's."""


@orders.register
@dataclass(frozen=True)
class ProjectedC(ByWeight):
    """MoffatC by projected scores: pairs with large weights in runs with high projected scores.

    Formula: weight(d) = sum_s c_sd * r_s * max(q_s, 0.7 * base_L)^power, the 0.7 for contenders

    q_s = base_s + r_s (base_s + 0.025) / (1 - r_s + 0.05) takes the unjudged part of run s to be as
    good as its judged part, where MoffatC takes half of it for relevant. So runs of which little is
    judged do not all look good. A contender is a run that can still be best: base_s + r_s is above
    base_L, the highest base. Without its floor, runs that begin badly would never be ruled out.

    Power, prior and floor were chosen on TREC-8. With batch=n the weights are refreshed after every
    n pairs. `measure` in the place of `p` names what weighs ranks, as for MoffatC.
    """

    p: float | None = None
    batch: int = 1
    power: float = 6.0
    rel: int = 1
    measure: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.power < 0:
            raise ValueError(f"power must not be negative, not {self.power}")

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """What is open, times the projected score to the power."""
        share = (base + PRIOR / 2) / (np.maximum(1 - residual, 0.0) + PRIOR)
        score = base + residual * share
        leader = float(base.max(initial=0.0))
        contender = base + residual > leader
        score = np.where(contender, np.maximum(score, CONTENDER * leader), score)
        factor: Floats = residual * score**self.power
        return factor
