"""Two runs compared by sampled batches: what to judge next, and when they are decided."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from leadline.completions.anytime import (
    ErrorScale,
    IntervalBets,
    MarginBets,
    SampledBatch,
    WealthProcess,
    record_batches,
    unreached,
)
from leadline.completions.cross_fit import fit_folds
from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.draw import draw_bytes
from leadline.data.judgments import Judgments
from leadline.data.pool import SamplingRecord
from leadline.data.runs import Runs
from leadline.judging.likely_winner import two_runs
from leadline.judging.order import Choice, Order, Stepper, orders
from leadline.judging.weighted_sample import ANYWAY_LATER, chances, first_predictions
from leadline.measures.measure import Weighted, parse_numerator

LEAST_DEVIATION = 0.1
PLANNED_BATCHES = 20
"""The interval of a difference bets for so many batches."""

Decision = Literal["a", "b", "both"]
"""Which run was shown not to be worse than the other by more than the margin."""


@dataclass
class TwoRunSample:
    """The sampled batches for the difference of two runs: `names[0]` minus `names[1]`.

    A row for each pair that the runs weigh differently: its number `pair`, its `weight` in the
    difference per share of the range of gains, the `batch` that drew it (0: none), and bounds `low`
    and `high` of its gain. `beyond` is what each run weighs where nothing can be drawn, and
    `centre` the difference if all gains were the smallest. `seed` and the probabilities decide
    which pairs are drawn.
    """

    names: tuple[str, str]
    measure: Weighted
    seed: int
    pair: Int64s
    weight: Floats
    beyond: Floats
    centre: float
    planned: int
    batch: Int64s = field(init=False)
    low: Floats = field(init=False)
    high: Floats = field(init=False)
    probability: list[Floats] = field(default_factory=list)
    prediction: list[Floats] = field(default_factory=list)
    n_complete: int = 0
    _kept: dict[float | None, WealthProcess] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.pair)
        self.batch, self.low, self.high = np.zeros(n, np.int64), np.zeros(n), np.ones(n)

    @property
    def n_judged(self) -> int:
        """Return how many judgments the complete batches hold."""
        counted = (self.batch > 0) & (self.batch <= self.n_complete)
        return int((counted & (self.low == self.high)).sum())

    @property
    def record(self) -> SamplingRecord:
        """Return what was fixed before each complete batch was drawn."""
        shape = len(self.probability), len(self.pair)
        probability = np.array(self.probability).reshape(shape)
        prediction = np.array(self.prediction).reshape(shape)
        record = SamplingRecord(self.pair, self.batch, probability, prediction, self.planned)
        return record.first(self.n_complete)

    def forget(self) -> None:
        """Compute everything again: a judgment of a complete batch changed."""
        self._kept.clear()

    def wealth(self, margin: float | None = None) -> WealthProcess:
        """Return the wealth after the complete batches: for a margin, or for an interval."""
        kept = self._kept.get(margin)
        if kept is None:
            from scipy.sparse import csr_array

            bets = IntervalBets() if margin is None else MarginBets(margin)
            every = np.ones(len(self.pair), np.bool_)
            kept = WealthProcess(csr_array(self.weight[None]), bets, self.planned, every)
            self._kept[margin] = kept
        if kept.n_batches < self.n_complete:
            for batch in list(record_batches(self.record, self.low, self.high))[kept.n_batches :]:
                kept.add(batch)
        return kept

    def interval(self) -> tuple[float, float]:
        """Return the anytime-valid interval of the difference."""
        lower, upper = self.wealth().interval()
        low, high = self.centre - self.beyond[1], self.centre + self.beyond[0]
        return float(lower[0]) + low, float(upper[0]) + high

    def evidence(self, margin: float) -> Floats:
        """Return the log wealth against: a is worse by the margin; b is worse by the margin."""
        wealth = self.wealth(margin)
        ends = self._ends(margin)
        return np.array([wealth.log_wealth_at(side, np.array([ends[side]]))[0] for side in (0, 1)])

    def _ends(self, margin: float) -> tuple[float, float]:
        """Return the values to refute, nearer to 0 by what could not be drawn."""
        low = -margin - self.centre + self.beyond[1]
        return low, margin - self.centre - self.beyond[0]

    def decision(self, margin: float, alpha: float) -> Decision | None:
        """Return which run is not worse by more than the margin; None while that is open.

        Only one of the two hypotheses can be true, so each is tested at alpha: a decision at any
        stopping time is wrong with probability alpha at most.
        """
        least, most = self.wealth(margin).bounds()
        low, high = self._ends(margin)
        bounds = np.array([least[0] >= low, most[0] <= high])
        shown = (self.evidence(margin) >= -np.log(alpha)) | bounds
        if shown.all():
            return "both"
        return "a" if shown[0] else "b" if shown[1] else None

    def line(self) -> str:
        """Return the interval so far in a sentence."""
        lower, upper = self.interval()
        return (
            f"{self.names[0]} minus {self.names[1]}: anytime-valid 95% interval {lower:.3f} to "
            f"{upper:.3f}, from {self.n_judged:,} sampled judgments in {self.n_complete:,} "
            "complete batches; it may be looked at after every batch"
        )

    def statement(self, margin: float, alpha: float) -> str | None:
        """Return the decision in a sentence; None while there is none."""
        decision = self.decision(margin, alpha)
        if decision is None:
            return None
        first, second = self.names if decision != "b" else self.names[::-1]
        neither = f"neither {first} nor {second} is worse than the other"
        what = neither if decision == "both" else f"{first} is not worse than {second}"
        return (
            f"{what} by more than {margin:g} on these topics (error at most {alpha:.0%} at any "
            f"stopping time, {self.n_judged:,} sampled judgments)"
        )


@orders.register
@dataclass(frozen=True)
class SampledBatches(Order):
    """Batches sampled for the difference of two runs, each with known probabilities.

    Formula: pi_p = .9 min(1, k |d_p| max(sd_p, .1)) + .1 min(1, c |d_p|), d = W_a - W_b

    `aim` names the two runs, with a comma between them. d_p is how far they weigh pair p apart, and
    sd_p the standard deviation of its gain about what a model of the earlier batches predicts. A
    batch of about `batch` pairs is drawn when the batch before it is judged. A judgment that was
    given before the first batch counts once its pair is drawn. With the stop NonInferior, one may
    look after every batch: see docs/methods/anytime.md.
    """

    exhaustive = False
    uses_labels = True

    aim: str
    measure: str = "RBP(p=0.8)"
    batch: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ValueError(f"batch must be at least 1, not {self.batch}")
        if len([name for name in self.aim.split(",") if name.strip()]) != 2:
            raise ValueError(f"aim must be two runs with a comma between them, not {self.aim!r}")
        self.weighted  # noqa: B018 - a measure that will not do is refused at once

    @property
    def weighted(self) -> Weighted:
        return parse_numerator(self.measure)

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """Return a stepper over the pairs that the two runs weigh differently."""
        return self.resume(_Batches(self, runs), judgments)


class _Batches(Stepper):
    def __init__(self, order: SampledBatches, runs: Runs) -> None:
        self.order, self.runs = order, runs
        measure = order.weighted
        self.model = PairWeights.of(runs, measure)
        a, b = two_runs(order.aim, runs.names)
        self.table = measure.gain(measure.max_grade or 1)
        least, reach = float(self.table.min()), float(np.ptp(self.table)) or 1.0
        difference = (self.model.matrix[[a]] - self.model.matrix[[b]]).toarray()[0] * reach
        self.rows = np.flatnonzero(difference)
        beyond, whole = unreached(self.model, measure)
        self.sample = TwoRunSample(
            (runs.names[a], runs.names[b]),
            measure,
            order.seed,
            self.model.pair[self.rows],
            difference[self.rows],
            reach * beyond[[a, b]],
            least * float(whole[a] - whole[b]),
            PLANNED_BATCHES * order.batch,
        )
        self.size = np.abs(difference[self.rows])
        self.names = [self.model.names[row] for row in self.rows.tolist()]
        self.place = np.full(len(runs.pairs), -1, np.int64)
        self.place[self.sample.pair] = np.arange(len(self.rows))
        self.grade = np.full(len(self.rows), -1, np.int64)
        self.handed, self.spent = np.zeros((2, len(self.rows)), np.bool_)
        self.scale = ErrorScale()
        self.queue: list[Choice] = []

    @property
    def two_runs(self) -> TwoRunSample:
        return self.sample

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k:
            self._settle()
            if not self.queue and not self._plan():
                break
            while self.queue and len(chosen) < k:
                choice = self.queue.pop(0)
                at = self.place[choice.pair]
                if self.grade[at] < 0 and not self.handed[at] and not self.spent[at]:
                    self.handed[at] = True
                    chosen.append(choice)
        return chosen

    def _waiting(self) -> Bools:
        """Return which pairs of the last batch are neither judged nor given up."""
        sample = self.sample
        last: Bools = (sample.batch > sample.n_complete) & (self.grade < 0) & ~self.spent
        return last

    def _plan(self) -> bool:
        """Draw the next batch; False while the last is not judged, or nothing is left."""
        sample = self.sample
        open_ = sample.batch == 0
        if len(sample.probability) > sample.n_complete or not open_.any():
            return False
        prediction = self._predictions()
        deviation = np.maximum(self.scale.deviation(prediction), LEAST_DEVIATION)
        share = chances(
            self.size * deviation, open_, float(self.order.batch), ANYWAY_LATER, self.size
        )
        number = len(sample.probability) + 1
        drawn = open_ & (draw_bytes(self.order.seed, self.names, number) < share)
        sample.probability.append(np.where(open_, share, 0.0))
        sample.prediction.append(prediction)
        sample.batch[drawn] = number
        at = np.flatnonzero(drawn).tolist()
        self.queue = [Choice(int(sample.pair[each]), float(share[each])) for each in at]
        return True

    def _predictions(self) -> Floats:
        """Return the predicted share of every pair, by the complete batches or by labels."""
        sample = self.sample
        known = np.flatnonzero((sample.batch > 0) & (self.grade >= 0))
        if not len(known):
            return first_predictions(self.model)[self.rows]
        feature, topic = self.model.feature[self.rows], self.model.topic[self.rows]
        weight, n_topics = np.ones((1, len(known))), len(self.runs.pairs.topics)
        fit = fit_folds(feature[known], topic[known], sample.low[known], weight, n_topics)
        share: Floats = fit.share(feature, topic)[0]
        return share

    def _settle(self) -> None:
        """Count the last batch if it is judged."""
        sample = self.sample
        number = sample.n_complete + 1
        if len(sample.probability) < number or self._waiting().any():
            return
        open_, drawn = (sample.batch == 0) | (sample.batch >= number), sample.batch == number
        rows = (sample.prediction[-1], sample.probability[-1])
        self.scale.add(SampledBatch(open_, *rows, drawn, sample.low, sample.high))
        sample.n_complete = number

    def tell(self, pair: int, grade: int) -> None:
        at = int(self.place[pair])
        if at < 0 or self.grade[at] >= 0:
            return
        sample = self.sample
        self.grade[at] = max(grade, 0)
        gain = float(self.table[min(self.grade[at], len(self.table) - 1)] - self.table.min())
        sample.low[at] = sample.high[at] = gain / (float(np.ptp(self.table)) or 1.0)
        if 0 < sample.batch[at] <= sample.n_complete:
            sample.forget()
        self._settle()

    def spend(self, pair: int) -> None:
        at = int(self.place[pair])
        if at >= 0:
            self.spent[at] = True
            self._settle()

    def release(self, pair: int) -> None:
        at = int(self.place[pair])
        if at >= 0 and self.grade[at] < 0:
            self.handed[at] = self.spent[at] = False
            if self.sample.batch[at] > self.sample.n_complete:
                self.queue.insert(0, Choice(pair, None))
