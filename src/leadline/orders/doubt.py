"""The order that makes the likely winner, or the likely best k, plain soonest."""

from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from leadline.designs.chances import chances
from leadline.estimators.score_model import ScoreModel, ScorePosterior
from leadline.measures.measure import parse_numerator
from leadline.measures.weighted import Weighted
from leadline.orders.audit import Audit, AuditBatch, LikelyState
from leadline.orders.order import Choice, Order, Stepper, orders
from leadline.orders.pooling import Pooling
from leadline.tables.arrays import Floats
from leadline.tables.draw import draw_bytes
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

NEGLIGIBLE_CHANCE = 1e-3
"""Runs that are less likely to be ahead are left out."""

EVEN = 0.1
"""The share of the audit that is drawn evenly, whatever a pair weighs."""


@orders.register
@dataclass(frozen=True)
class Doubt(Order):
    """Pairs that tell most about who is likely to be better, and some drawn by chance.

    Formula: weight(d) = sum over b, s of P(s is better than b) |c_sd - c_bd| sqrt(f_d (1 - f_d))

    b are the `k` best runs by what a model expects, s the others; f_d is the gain that the model
    expects. aim=order takes all pairs of runs instead, aim='a,b' these two. The first `pilot`
    pairs are those of a pool; then batches are chosen, each by all judgments before it. The share
    `audit` of a batch is drawn by chance, so that scores can be estimated without bias and the
    model be checked: what an order chooses is not like the rest.

    Ours: see docs/methods/likely.md.
    """

    exhaustive = False
    heeds_labels = True

    measure: str = "RBP(p=0.8)"
    k: int = 1
    aim: str = "best"
    batch: int = 40
    pilot: int = 80
    audit: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.k < 1 or self.batch < 1 or self.pilot < 1:
            raise ValueError("k, batch and pilot must be at least 1")
        if not 0 <= self.audit < 1:
            raise ValueError(f"audit must be a share from 0 to less than 1, not {self.audit}")
        self.weighted  # noqa: B018 - a measure that will not do is refused at once

    @property
    def weighted(self) -> Weighted:
        return parse_numerator(self.measure)

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        return self.resume(_InBatches(self, runs), judgments)

    def rivals(self, posterior: ScorePosterior) -> list[tuple[int, int, float]]:
        """Pairs of runs that matter, and the chance that the second is better than the first."""
        names = posterior.runs.names
        if self.aim not in ("best", "order"):
            a, b = two_runs(self.aim, names)
            return [(a, b, 1.0)]
        best = posterior.best(self.k if self.aim == "best" else len(names))
        found = []
        for run in np.flatnonzero(best).tolist():
            ahead = posterior.ahead(run)
            if self.aim == "best":
                ahead[best] = 0.0
            else:
                # Of two runs the one that is behind by its mean.
                ahead[posterior.mean >= posterior.mean[run]] = 0.0
            some = np.flatnonzero(ahead > NEGLIGIBLE_CHANCE)
            found += [(run, other, float(ahead[other])) for other in some.tolist()]
        return found


def two_runs(aim: str, names: tuple[str, ...]) -> tuple[int, int]:
    """The numbers of two runs named with a comma between them."""
    parts = [name.strip() for name in aim.split(",")]
    unknown = [name for name in parts if name not in names]
    if len(parts) != 2 or unknown:
        raise ValueError(
            f"aim must be best, order or two runs with a comma between them, not {aim!r}"
            + (f": there is no run {unknown[0]}" if len(parts) == 2 else "")
        )
    return names.index(parts[0]), names.index(parts[1])


@dataclass(eq=False)
class _InBatches(Stepper):
    order: Doubt
    runs: Runs
    queue: list[Choice] = field(default_factory=list)
    n_batches: int = 0

    def __post_init__(self) -> None:
        self.measure = self.order.weighted
        self.model = ScoreModel(self.runs, self.measure)
        weights = self.model.weights
        self.pair = weights.pair
        self.place = np.full(len(self.runs.pairs), -1, np.int64)
        self.place[self.pair] = np.arange(len(self.pair))
        self.judged = np.zeros(len(self.pair), np.bool_)
        self.gone = np.zeros(len(self.pair), np.bool_)
        self.grade, self.best = np.zeros(len(self.pair), np.int64), 1
        self.gain = np.zeros(len(self.pair))
        self.known = LikelyState(Audit(weights))

    @property
    def likely(self) -> LikelyState:
        return self.known

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k:
            if not self.queue and not self._plan():
                break
            choice = self.queue.pop(0)
            at = self.place[choice.pair]
            if not self.judged[at] and not self.gone[at]:
                self.gone[at] = True
                chosen.append(choice)
        return chosen

    def _plan(self) -> bool:
        """Choose another batch; False if there is nothing left."""
        open_ = ~(self.judged | self.gone)
        if not open_.any():
            return False
        self.n_batches += 1
        if self.n_batches == 1:
            self._pilot()
        if not self.queue:
            self._batch()
        return True

    def _pilot(self) -> None:
        """The first pairs of a pool, which depend on no model."""
        wanted = self.order.pilot - int(self.judged.sum())
        first = Pooling(p=0.8, seed=self.order.seed).start(self.runs)
        while len(self.queue) < wanted and (choices := first.next(wanted)):
            places = ((self.place[each.pair], each) for each in choices)
            self.queue += [each for at, each in places if at >= 0 and not self.judged[at]]

    def _batch(self) -> None:
        state, order = self.known, self.order
        state.audit.settle(self.gain)
        state.posterior = self.model.posterior(self.judged, self.gain)
        state.n_judged = int(self.judged.sum())
        open_ = ~(self.judged | self.gone)
        n_drawn = order.audit * order.batch
        weight = np.where(open_, self._weight(state.posterior), -1.0)
        top = np.argsort(-weight, kind="stable")[: round(order.batch - n_drawn)]
        top = top[weight[top] > 0]
        self.queue = [Choice(int(self.pair[at]), float(weight[at])) for at in top]
        left = open_.copy()
        left[top] = False
        if n_drawn and left.any():
            chance = chances(self.model.weights.size(), left, n_drawn, EVEN)
            names = list(compress(self.model.weights.names, left.tolist()))
            luck = draw_bytes(order.seed, names, self.n_batches)
            drawn = np.zeros(len(left), np.bool_)
            drawn[left] = luck < chance[left]
            expected = state.posterior.expected
            at = np.flatnonzero(drawn).tolist()
            waiting = {*at, *top.tolist(), *np.flatnonzero(self.gone & ~self.judged).tolist()}
            state.audit.batches.append(AuditBatch(left, chance, expected, drawn, waiting))
            self.queue += [Choice(int(self.pair[each]), None) for each in at]
        if not self.queue:
            rest = np.flatnonzero(open_)[: order.batch]
            self.queue = [Choice(int(self.pair[at]), 0.0) for at in rest]

    def _weight(self, posterior: ScorePosterior) -> Floats:
        matrix = self.model.weights.matrix
        total = np.zeros(len(self.pair))
        for run, other, chance in self.order.rivals(posterior):
            apart = abs(matrix[[other]] - matrix[[run]])
            np.add.at(total, apart.indices, chance * apart.data)
        expected = posterior.expected
        weight: Floats = total * np.sqrt(np.maximum(expected * (1 - expected), 0.0))
        # Sums in another order differ in the last digits: equals stay equals.
        return np.round(weight, 12)

    def tell(self, pair: int, grade: int) -> None:
        at = int(self.place[pair])
        if at < 0 or self.judged[at]:
            return
        self.judged[at] = True
        self.grade[at] = max(grade, 0)
        # Where the measure does not name the best grade, a better one changes all gains.
        changed = slice(None) if grade > self.best else at
        self.best = max(self.best, grade)
        self.gain[changed] = self.measure.gain(self.best)[self.grade[changed]]
        self._no_longer_waiting(at)

    def _no_longer_waiting(self, at: int) -> None:
        for batch in self.known.audit.batches:
            batch.waiting.discard(at)

    def spend(self, pair: int) -> None:
        at = int(self.place[pair])
        if at >= 0:
            self.gone[at] = True
            self._no_longer_waiting(at)

    def release(self, pair: int) -> None:
        at = int(self.place[pair])
        if at >= 0 and self.gone[at] and not self.judged[at]:
            self.gone[at] = False
            self.queue.insert(0, Choice(pair, None))
