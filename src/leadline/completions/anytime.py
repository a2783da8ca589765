"""Anytime-valid intervals: wealth processes over batches of sampled judgments.

Sources: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B,
2024; Shekhar, Xu, Lipton, Liang and Ramdas, Risk-limiting financial audits via weighted sampling
without replacement, UAI 2023. The form for independent draws in batches is derived in
docs/methods/anytime.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Bools, Floats, Int64s, freeze
from leadline.data.judgments import Judgments
from leadline.data.pool import SamplingRecord
from leadline.data.runs import Runs
from leadline.measures.measure import Measure, Weighted

ALPHA = 0.05
LEAST_FACTOR = 0.2
"""No factor of the wealth of a sampled pair is smaller."""

LARGEST_LOSS = float(np.log(2))
"""The most that one pair can lose of the log wealth before it is limited by its probability."""

MOST_HEDGED = 0.9
"""The most of the wealth that the hedged bet gives up where a pair is not drawn."""

PREDICTION_ENDS = 0.01, 0.99
DEVIATION_ENDS = 0.03, 0.97
DEVIATION_PRIOR = 2.0
"""Squared errors, and their expectation, that are added to those of past predictions."""

ENTRIES = 1 << 16
"""Non-zero weights of contrasts that are processed at once; more do not fit into caches."""

NOTHING_BEYOND = 1e-12
"""Sums of the same weights differ by their last digits."""

STEPS = 50
"""Bisections of an interval of the width of all bounds."""

ROUNDS = 2
"""Corrections of a stake per batch; each begins with the correction of the batch before."""

LARGEST_CORRECTION = 4.0

SIDES = np.array([1.0, -1.0])


@dataclass(frozen=True, eq=False)
class SampledBatch:
    """One batch, with a row for each pair; gains, and so predictions, are scaled to [0, 1].

    `prediction` and `probability` were fixed before the batch was drawn, for every `open` pair.
    `low` and `high` bound the gain of each `drawn` pair and are equal where it was judged.
    """

    open_: Bools
    prediction: Floats
    probability: Floats
    drawn: Bools
    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        shape = self.open_.shape
        freeze(self, np.bool_, shape, "open_", "drawn")
        freeze(self, np.float64, shape, "prediction", "probability", "low", "high")


def record_batches(record: SamplingRecord, low: Floats, high: Floats) -> Iterator[SampledBatch]:
    """Yield every batch of a record; `low` and `high` bound the gains of sampled pairs."""
    for number in range(1, len(record.probability) + 1):
        open_ = (record.batch == 0) | (record.batch >= number)
        prediction = np.clip(record.prediction[number - 1], *PREDICTION_ENDS)
        probability = np.where(open_, record.probability[number - 1], 0.0)
        yield SampledBatch(open_, prediction, probability, record.batch == number, low, high)


@dataclass
class ErrorScale:
    """Mean squared error of past predictions over the variance f (1 - f) that they imply."""

    squared: float = DEVIATION_PRIOR
    implied: float = DEVIATION_PRIOR

    @classmethod
    def of_gains(cls, table: Floats) -> "ErrorScale":
        """Return the scale before any judgment: as if every gain of a table were as frequent.

        >>> ErrorScale.of_gains(np.array([0.0, 1.0, 1.0])).squared
        2.0
        >>> round(ErrorScale.of_gains(np.array([0.0, 1.0, 2.0, 3.0])).squared / 2, 3)
        0.556
        """
        gain = np.unique(table)
        if len(gain) < 2:
            return cls()
        share = (gain - gain[0]) / (gain[-1] - gain[0])
        mean = float(share.mean())
        return cls(DEVIATION_PRIOR * float(share.var()) / (mean * (1 - mean)))

    def deviation(self, prediction: Floats) -> Floats:
        """Return the standard deviation of gain - prediction that is expected of every pair."""
        clipped = np.clip(prediction, *DEVIATION_ENDS)
        deviation: Floats = np.sqrt(self.squared / self.implied * clipped * (1 - clipped))
        return deviation

    def add(self, batch: SampledBatch) -> None:
        """Learn from the pairs of a batch that were judged."""
        judged = batch.drawn & (batch.low == batch.high)
        prediction = batch.prediction[judged]
        self.squared += float(((batch.low[judged] - prediction) ** 2).sum())
        self.implied += float((prediction * (1 - prediction)).sum())


class Bets(ABC):
    """How much to bet on each side of every contrast; a mixture with `weight`.

    `hedged` is the bet for which factors of pairs that are not drawn are optimal; None for 1.
    `log_threshold` is the log wealth that refutes a value; None if no interval is wanted.
    """

    weight: Floats
    hedged: int | None = None
    log_threshold: float | None = None

    @abstractmethod
    def distances(self, wealth: "WealthProcess", side: int, precision: Floats) -> Floats:
        """Return [contrasts, bets]: how far from the truth the values are that bets are made for.

        `precision` is what an estimate from all judgments that are planned should have.
        """


FIRST_DIFFERENCE = 0.1
TARGET_SHARE = 0.9
"""Share of the wealth that bets for the planned judgments; chosen on trec_dl21_half."""


class IntervalBets(Bets):
    """Most of the wealth bets for the planned number of judgments, the rest more or less.

    The best bet for a normal error with the precision that all planned judgments give is
    sqrt(2 ln(2 / alpha) / precision). Larger ones suit earlier looks, smaller ones later looks.
    """

    def __init__(self, alpha: float = ALPHA) -> None:
        self.times = 2.0 ** np.arange(-2, 3)
        self.weight = np.full(5, (1 - TARGET_SHARE) / 4)
        self.hedged = 2
        self.weight[self.hedged] = TARGET_SHARE
        threshold = float(np.log(2 / alpha))
        self.log_threshold, self.reach = threshold, np.sqrt(2 * threshold)

    def distances(self, wealth: "WealthProcess", side: int, precision: Floats) -> Floats:
        target = self.reach / np.sqrt(np.maximum(precision, 1e-300))
        distances: Floats = target[:, None] * self.times
        return distances


class MarginBets(Bets):
    """Bets against the hypotheses that a difference is at most -margin, or at least margin.

    Part of the wealth bets for differences of a grid, the rest for the difference by the estimate
    so far; for `FIRST_DIFFERENCE` in the first batch.
    """

    def __init__(self, margin: float) -> None:
        self.margin = margin
        self.grid = 0.02 * 2.0 ** np.arange(5)
        self.weight = np.append(np.full(5, 0.6 / 5), 0.4)

    def distances(self, wealth: "WealthProcess", side: int, precision: Floats) -> Floats:
        estimate = wealth.estimate()
        grid = np.broadcast_to(self.grid, (len(estimate), len(self.grid)))
        ahead = np.clip(SIDES[side] * estimate + self.margin, 0.02, 0.4)
        if not wealth.n_batches:
            ahead = np.full(len(estimate), FIRST_DIFFERENCE)
        return np.column_stack([grid, ahead])


class WealthProcess:
    """The wealth of bets for and against every value of some contrasts, batch after batch.

    A contrast is theta = sum over pairs of weight * gain, gains between 0 and 1. For side s and
    bet j, the log wealth at theta is `log_wealth[s, contrast, j] - stake[s, contrast, j] * s *
    theta`. At the true theta each is a non-negative martingale with mean 1, whatever the
    predictions and however the probabilities followed from earlier batches.

    `contrasts` [contrasts, pairs] is sparse. A pair that no batch could draw, outside `reached`,
    has any gain: it widens the ends.
    """

    def __init__(
        self,
        contrasts: Any,
        bets: Bets,
        planned: float,
        reached: Bools,
        scale: ErrorScale | None = None,
    ) -> None:
        entries = contrasts.tocsr()
        entries.sort_indices()
        n = entries.shape[0]
        contrast = np.repeat(np.arange(n), np.diff(entries.indptr))
        inside = reached[entries.indices] & (entries.data != 0)
        outside = ~reached[entries.indices]
        self.beyond = np.stack(
            [
                _sums(contrast[outside], np.minimum(entries.data[outside], 0.0), n),
                _sums(contrast[outside], np.maximum(entries.data[outside], 0.0), n),
            ]
        )
        self.contrast, self.pair = contrast[inside], entries.indices[inside]
        self.amount = entries.data[inside]
        self.bets, self.planned, self.n_drawn, self.n_batches = bets, planned, 0, 0
        self.scale = ErrorScale() if scale is None else replace(scale)
        shape = (2, n, len(bets.weight))
        self.log_wealth, self.stake = np.zeros(shape), np.zeros(shape)
        self.known = np.zeros((2, n))
        self.precision, self.total = np.zeros(n), np.zeros(n)
        # What bets make of a batch, beside the precision of its estimate.
        self.effective, self.correction = np.zeros((2, n)), np.ones((2, n))
        self.ends = np.stack(self._inner())

    def add(self, batch: SampledBatch) -> None:
        """Bet on a batch by what came before it, then settle by its judgments."""
        n, amount, pair = len(self.precision), self.amount, self.pair
        prediction, probability = batch.prediction[pair], batch.probability[pair]
        variance, rest = self._variances(batch)
        modelled = _sums(self.contrast, amount * prediction, n)
        drawn = batch.drawn[pair]
        # Of a drawn pair that nobody could judge, each side counts what is worst for it.
        rising = amount > 0
        worst = np.where(rising, batch.low[pair], batch.high[pair])
        best = np.where(rising, batch.high[pair], batch.low[pair])
        for number, (side, gain) in enumerate(zip(SIDES, (worst, best), strict=True)):
            loss = np.abs(amount) * np.where(rising == (side > 0), prediction, 1 - prediction)
            stake = self._stakes(number, variance, rest, loss, probability)
            error = side * amount * (gain - prediction)
            moved = stake * (side * (self.known[number] + modelled))[:, None]
            moved += self._settled(stake, loss, error, probability, drawn)
            self.log_wealth[number] += moved
            self.stake[number] += stake
            self.known[number] += _sums(self.contrast[drawn], (amount * gain)[drawn], n)
        self._estimate(batch, variance, modelled, drawn)
        self.scale.add(batch)
        self.n_drawn += int(batch.drawn.sum())
        self.n_batches += 1
        open_ = ~drawn
        self.contrast, self.pair, self.amount = self.contrast[open_], pair[open_], amount[open_]
        if self.bets.log_threshold is not None:
            self._narrow(self.bets.log_threshold)

    def _variances(self, batch: SampledBatch) -> tuple[Floats, Floats]:
        """Return the variance of an estimate by this batch, and by all that is still planned."""
        n, pair = len(self.precision), self.pair
        square = (self.amount * self.scale.deviation(batch.prediction)[pair]) ** 2
        probability = batch.probability[pair]
        expected = float(batch.probability[batch.open_].sum())
        more = max(1.0, (self.planned - self.n_drawn) / max(expected, 1e-9))
        both = []
        for share in (probability, np.minimum(1.0, more * probability)):
            missed = np.divide(1 - share, share, out=np.full(len(share), np.inf), where=share > 0)
            both.append(_sums(self.contrast, square * missed, n) + 1e-12)
        return both[0], both[1]

    def _stakes(
        self, side: int, variance: Floats, rest: Floats, loss: Floats, probability: Floats
    ) -> Floats:
        """Return [contrasts, bets]: what is bet per unit of the contrast.

        The best stake for a distance is the one at which the derivative of the expected loss of log
        wealth at the truth equals the distance. For normal errors it is distance / variance. For
        pairs that weigh much and are rarely drawn it is larger or smaller, by the side on which
        their gains may lie: `correction` is stake * variance / distance.
        """
        n, free = len(variance), probability < 1
        largest = _by_number(np.maximum, self.contrast[free], loss[free, None], n)[:, 0]
        cap = LARGEST_LOSS / np.maximum(largest, 1e-300)
        # A batch says nothing where some pair could not be drawn, or all were sure to be drawn.
        told = np.isfinite(variance) & (largest > 0)
        hedged, correction = self.bets.hedged, self.correction[side]
        for _ in range(ROUNDS if hedged is not None else 0):
            planned = self.effective[side] + correction / rest
            distance = self.bets.distances(self, side, planned)[:, hedged]
            stake = np.minimum(distance * correction / variance, cap)
            step = self._steps(stake[self.contrast], loss, probability)
            paid = _sums(self.contrast, probability * (1 - probability) * step, n)
            by = np.divide(stake * distance, paid, out=np.ones(n), where=told & (paid > 0))
            correction = correction * np.clip(by, 1 / LARGEST_CORRECTION, LARGEST_CORRECTION)
            correction = np.minimum(correction, cap * variance / distance)
        distance = self.bets.distances(self, side, self.effective[side] + correction / rest)
        bet = np.divide(
            distance * correction[:, None],
            variance[:, None],
            out=np.zeros(distance.shape),
            where=told[:, None],
        )
        stakes: Floats = np.minimum(bet, cap[:, None])
        self.correction[side] = np.where(told, correction, self.correction[side])
        if hedged is not None:
            self.effective[side] += stakes[:, hedged] / distance[:, hedged]
        return stakes

    def _settled(
        self, stake: Floats, loss: Floats, error: Floats, probability: Floats, drawn: Bools
    ) -> Floats:
        """Return [contrasts, bets]: the sum of the log factors of all open pairs."""
        hedge = self._hedges(stake, loss, probability)
        square = self._squares(stake)
        undrawn = ~drawn
        total = -square * _sums(self.contrast[undrawn], hedge[undrawn], len(stake))[:, None]
        limit = np.full(len(probability), np.inf)
        np.log1p(-(1 - LEAST_FACTOR) * probability, out=limit, where=probability < 1)
        limit = np.abs(limit)
        # Elsewhere no factor of a drawn pair can be too small.
        some = np.flatnonzero(undrawn & (stake.max(axis=1)[self.contrast] * loss > limit))
        for bet in range(stake.shape[1]):
            at, wanted = self.contrast[some], square[:, bet][self.contrast[some]] * hedge[some]
            most = _most_missed(stake[at, bet] * loss[some], probability[some])
            less = np.minimum(np.log(most) + wanted, 0.0)
            total[:, bet] += _sums(at, less, len(stake))
        hit = np.flatnonzero(drawn)
        at, pi = self.contrast[hit], probability[hit, None]
        lost, gained = stake[at] * loss[hit, None], stake[at] * error[hit, None]
        missed = np.minimum(np.exp(-square[at] * hedge[hit, None]), _most_missed(lost, pi))
        # With probability 1 the factor is exp(gained), which may be too large for a number.
        open_ = np.exp(np.where(pi == 1, 0.0, gained)) - (1 - pi) * missed
        return total + _sums(at, np.where(pi == 1, gained, np.log(open_ / pi)), len(stake))

    def _hedges(self, stake: Floats, loss: Floats, probability: Floats) -> Floats:
        """Return, for every open pair, minus the log of the best factor where it is not drawn."""
        hedge = np.zeros(len(loss))
        if self.bets.hedged is None:
            return hedge
        step = self._steps(stake[:, self.bets.hedged][self.contrast], loss, probability)
        free = (probability > 0) & (probability < 1)
        np.log1p(-np.minimum(probability * step, MOST_HEDGED), where=free, out=hedge)
        return -hedge

    def _steps(self, stake: Floats, loss: Floats, probability: Floats) -> Floats:
        """Return what the best factor of a pair gives up where it is not drawn, per probability.

        Best is what makes the expected log of the wealth largest, to first order in the
        probability: a gain is 1 with probability f and else 0, and both outcomes, divided by the
        probability, are pulled to f by the scale of past errors. The expected loss of log wealth
        has the derivative probability * step / stake, to the same order.
        """
        unit = stake * np.sqrt(self.scale.squared / self.scale.implied)
        np.divide(unit, probability, out=unit, where=probability > 0)
        down = unit * loss
        up = unit * np.abs(self.amount) - down
        one = 1 + up - down
        # The positive root of t^2 + one t - up down, without a difference of like numbers.
        root = np.sqrt(one**2 + 4 * up * down) + np.abs(one)
        step: Floats = np.where(one > 0, 2 * up * down / np.maximum(root, 1e-300), root / 2)
        return step

    def _squares(self, stake: Floats) -> Floats:
        """Return [contrasts, bets]: squared stakes over that of the hedged bet."""
        if self.bets.hedged is None:
            return np.ones(stake.shape)
        target = stake[:, [self.bets.hedged]]
        ratio = np.divide(stake, target, out=np.ones(stake.shape), where=target > 0)
        square: Floats = ratio**2
        return square

    def _estimate(
        self, batch: SampledBatch, variance: Floats, modelled: Floats, drawn: Bools
    ) -> None:
        """Add the batch's unbiased estimate, weighted by its precision."""
        n, pair = len(self.precision), self.pair[drawn]
        gain = (batch.low[pair] + batch.high[pair]) / 2
        error = self.amount[drawn] * (gain - batch.prediction[pair]) / batch.probability[pair]
        before = self.known.mean(axis=0) - _sums(self.contrast[drawn], self.amount[drawn] * gain, n)
        self.precision += 1 / variance
        self.total += (before + modelled + _sums(self.contrast[drawn], error, n)) / variance

    def estimate(self) -> Floats:
        """Return the mean of the batches' unbiased estimates, 0 before the first batch."""
        some = self.precision > 0
        return np.divide(self.total, self.precision, out=np.zeros(len(some)), where=some)

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the guaranteed ends: over all gains of what is not judged."""
        n = len(self.precision)
        lower = self.known[0] + _sums(self.contrast, np.minimum(self.amount, 0.0), n)
        upper = self.known[1] + _sums(self.contrast, np.maximum(self.amount, 0.0), n)
        return lower + self.beyond[0], upper + self.beyond[1]

    def log_wealth_at(self, side: int, theta: Floats) -> Floats:
        """Return the log of the mixture's wealth against one value of every contrast."""
        each = self.log_wealth[side] - self.stake[side] * (SIDES[side] * theta)[:, None]
        each = each + np.log(self.bets.weight)
        top = each.max(axis=1)
        logs: Floats = top + np.log(np.exp(each - top[:, None]).sum(axis=1))
        return logs

    def interval(self) -> tuple[Floats, Floats]:
        """Return the ends between which the contrasts lie, at all looks together.

        Each side's wealth exceeds 2 / alpha ever with probability alpha / 2 at most (Ville). So
        what was refuted at one look is refuted at all later ones, and no interval ever widens.
        Where the ends would cross, which has probability alpha at most, they are exchanged.
        """
        lower, upper = self.ends + self.beyond
        return np.minimum(lower, upper), np.maximum(lower, upper)

    def _inner(self) -> tuple[Floats, Floats]:
        """Return the guaranteed ends without what no batch could draw."""
        least, most = self.bounds()
        return least - self.beyond[0], most - self.beyond[1]

    def _narrow(self, threshold: float) -> None:
        """Move each end to the last value that is refuted at this look, or was before."""
        inner = self._inner()
        for side in (0, 1):
            wrong = np.clip(self.ends[side], *inner)
            refuted = self.log_wealth_at(side, wrong) >= threshold
            right = np.where(refuted, inner[1 - side], wrong)
            for _ in range(STEPS if refuted.any() else 0):
                middle = (wrong + right) / 2
                gone = self.log_wealth_at(side, middle) >= threshold
                wrong, right = np.where(gone, middle, wrong), np.where(gone, right, middle)
            self.ends[side] = wrong


def _most_missed(lost: Floats, probability: Floats) -> Floats:
    """Return the largest factor of a pair that is not drawn: drawn, it has the least factor."""
    factor: Floats = np.divide(
        np.exp(-lost) - LEAST_FACTOR * probability,
        1 - probability,
        out=np.ones(np.broadcast_shapes(lost.shape, probability.shape)),
        where=probability < 1,
    )
    return factor


def _sums(at: Int64s, amount: Floats, n: int) -> Floats:
    """Return sums by number, of rows where `amount` has several columns; `at` ascends."""
    if amount.ndim == 1:
        sums: Floats = np.bincount(at, amount, n).astype(np.float64, copy=False)
        return sums
    return _by_number(np.add, at, amount, n)


def _by_number(combine: np.ufunc, at: Int64s, amount: Floats, n: int) -> Floats:
    """Return rows combined by number, 0 where there are none; `at` ascends."""
    total = np.zeros((n, amount.shape[1]))
    if len(at):
        first = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
        total[at[first]] = combine.reduceat(amount, first, axis=0)
    return total


@dataclass(frozen=True, eq=False)
class AnytimeScores:
    """Anytime-valid intervals of mean scores and of their differences, from a sampled pool.

    `matrix` [runs, rows] has the weights of the record's pairs, in units of the measure; `low` and
    `high` bound the share of the range of gains of each drawn pair. `beyond` is the weight of each
    run that no pair of the record holds, and `least` the score if all gains were the smallest.
    """

    matrix: Any
    record: SamplingRecord
    low: Floats
    high: Floats
    beyond: Floats
    least: Floats
    alpha: float = ALPHA
    scale: ErrorScale = field(default_factory=ErrorScale)
    """Of errors of predictions, before any judgment."""

    @property
    def n_judged(self) -> int:
        """Return how many sampled judgments count: those of complete batches."""
        return int((self.record.batch > 0).sum())

    def contrasts(self, first: Int64s, second: Int64s | None = None) -> tuple[Any, Floats, Floats]:
        """Return weights of scores, or of differences, with what lies below and above them."""
        matrix, below, above = self.matrix[first], self.least[first], self.beyond[first]
        if second is None:
            return matrix, below, below + above
        centre = below - self.least[second]
        return matrix - self.matrix[second], centre - self.beyond[second], centre + above

    def interval(
        self,
        first: Int64s,
        second: Int64s | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[Floats, Floats]:
        """Return both ends of the scores of some runs, or of differences of first and second.

        progress: called with how many of them are done, and of how many.
        """
        size = max(1, ENTRIES // max(1, int(2 * self.matrix.nnz / max(1, self.matrix.shape[0]))))
        parts = [np.zeros((2, 0))]
        for begin in range(0, len(first), size):
            part = slice(begin, begin + size)
            other = None if second is None else second[part]
            matrix, below, above = self.contrasts(first[part], other)
            lower, upper = self.wealth(matrix, IntervalBets(self.alpha)).interval()
            parts.append(np.stack([lower + below, upper + above]))
            if progress is not None:
                progress(min(begin + size, len(first)), len(first))
        lower, upper = np.concatenate(parts, axis=1)
        return lower, upper

    def refutes(
        self, first: Int64s, second: Int64s, side: int, value: float, margin: float
    ) -> float:
        """Return the log wealth against: first minus second is at most (side 0) or least a value.

        Infinite where the bounds refute it.
        """
        matrix, below, above = self.contrasts(first, second)
        wealth = self.wealth(matrix, MarginBets(margin))
        end = value - (below, above)[side]
        least, most = wealth.bounds()
        if (least > end)[0] if side == 0 else (most < end)[0]:
            return float("inf")
        return float(wealth.log_wealth_at(side, end)[0])

    def wealth(self, matrix: Any, bets: Bets) -> WealthProcess:
        """Return the wealth after all complete batches, for contrasts with these weights."""
        record = self.record
        reached: Bools = np.any(record.probability > 0, axis=0)
        wealth = WealthProcess(matrix, bets, record.planned, reached, self.scale)
        for batch in record_batches(record, self.low, self.high):
            wealth.add(batch)
        return wealth


def unreached(weights: PairWeights, measure: Weighted) -> tuple[Floats, Floats]:
    """Return the weight of each run that no pair of the matrix holds, and its whole weight."""
    length = weights.runs.length
    whole = np.append(0.0, measure.weights(int(length.max(initial=1))).cumsum())[length]
    whole += measure.tail(length.ravel()).reshape(length.shape)
    weight: Floats = whole.mean(axis=1)
    beyond = np.maximum(weight - weights.matrix.sum(axis=1), 0.0)
    beyond[beyond < NOTHING_BEYOND] = 0.0
    return beyond, weight


def anytime_of(
    runs: Runs, judgments: Judgments, measure: Measure, record: SamplingRecord | None
) -> "AnytimeScores | None":
    """Return the intervals of a measure; None if it is no sum or nothing was sampled."""
    if record is None or not isinstance(measure, Weighted) or measure.judged_only:
        return None
    return anytime_scores(PairWeights.of(runs, measure), measure, judgments, record)


def anytime_scores(
    weights: PairWeights,
    measure: Weighted,
    judgments: Judgments,
    record: SamplingRecord,
    alpha: float = ALPHA,
) -> AnytimeScores:
    """Return intervals by the batches of a record that are judged to the last pair.

    A pair that was not in the pool could not be drawn: it widens the intervals. Gains lie in the
    range that the measure gives to grades up to `judgments.max_grade`.
    """
    record = record.over(weights.pair)
    missing = (record.batch > 0) & ~judgments.judged[weights.pair]
    complete = int(record.batch[missing].min(initial=record.n_batches + 1)) - 1
    record = record.first(complete)
    table = measure.gain(judgments.max_grade)
    least, reach = float(table.min()), float(np.ptp(table))
    share = (table[judgments.grade[weights.pair]] - least) / (reach or 1.0)
    gain = np.where(record.batch > 0, share, 0.0)
    beyond, weight = unreached(weights, measure)
    matrix, scale = (weights.matrix * reach).tocsr(), ErrorScale.of_gains(table)
    return AnytimeScores(matrix, record, gain, gain, reach * beyond, least * weight, alpha, scale)
