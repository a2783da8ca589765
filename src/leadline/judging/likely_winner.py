"""The order that settles the likely winner soonest, and its audit by draws."""

import math
from dataclasses import dataclass, field
from itertools import compress, groupby
from operator import itemgetter

import numpy as np

from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import mean_of_draws
from leadline.completions.winner import ScorePosterior, WinnerModel
from leadline.data.arrays import Bools, Floats
from leadline.data.draw import draw_bytes
from leadline.data.judgments import Judgments
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.runs import Runs
from leadline.judging.order import Choice, DepthFirst, Order, Stepper, orders
from leadline.judging.weighted_sample import chances
from leadline.measures.measure import Weighted, parse_numerator
from leadline.stats.certainty import LIKELY, WITHIN

RECENT = 40
"""The check looks at so many drawn pairs: what the model said wrongly at first is forgiven."""

MOST_DEVIATIONS = 3.0
NOTHING_OPEN = 1e-9
"""The least variance that is divided by."""

FEWEST_JUDGED = 200
"""No rule stops by the model's probabilities with fewer judgments."""

FEWEST_BATCHES = 5
"""Scores of fewer batches are not offered."""

FEWEST_DEGREES = 3.0
"""Median degrees of freedom over runs below which no interval is offered; by TREC-COVID."""

TOO_FEW = (
    f"no interval below {FEWEST_DEGREES:g} degrees of freedom, because coverage fell below 93% in "
    "simulation: judge on"
)


@dataclass
class AuditBatch:
    """A batch: `left` are the pairs from which some were drawn, each with its `chance`.

    What was `expected` of every pair, and what was `drawn`; `waiting` are those not yet judged.
    """

    left: Bools
    chance: Floats
    expected: Floats
    drawn: Bools
    waiting: set[int]


@dataclass
class Audit:
    """Batches of draws, told one by one; columns are those of `weights`.

    Given what was known before, theta_b = sum of W h over what was judged or chosen by then + sum
    of W f_b over the rest + sum over drawn of W (h - f_b) / pi_b has no bias. The scores are the
    mean of the theta_b, each counted b times, because later models are better. Their intervals
    have Student's quantile with the degrees of freedom of `mean_of_draws`.
    """

    weights: PairWeights
    batches: list[AuditBatch] = field(default_factory=list)
    n_drawn: int = 0
    n_batches: int = 0
    _count: float = 0.0
    _scores: list[Floats] = field(default_factory=list)
    _parts: list[Floats] = field(default_factory=list)
    _chances: list[Floats] = field(default_factory=list)
    _surprise: list[tuple[float, float]] = field(default_factory=list)

    def settle(self, gain: Floats) -> None:
        """Take up the batches that are judged to the end; `gain` is what is known of each pair."""
        while self.batches and not self.batches[0].waiting:
            batch = self.batches.pop(0)
            drawn = np.flatnonzero(batch.drawn)
            self.n_drawn += len(drawn)
            expected, chance = batch.expected[drawn], batch.chance[drawn]
            wrong = gain[drawn] - expected
            part = self.weights.matrix[:, drawn].toarray() * (wrong / chance)
            theta = self.weights.scores(np.where(batch.left, batch.expected, gain))
            self.n_batches += 1
            self._count += self.n_batches
            self._scores.append(self.n_batches * (theta + part.sum(axis=1)))
            self._parts.append(self.n_batches * part)
            self._chances.append(chance)
            pairs = zip(wrong.tolist(), (expected * (1 - expected)).tolist(), strict=True)
            self._surprise = [*self._surprise, *pairs][-RECENT:]

    @property
    def scores(self) -> MeanEstimate | None:
        """Mean scores without bias, whatever the model said; None before the fifth batch.

        Without errors while a few heavy draws decide most runs' variances.
        """
        if self.n_batches < FEWEST_BATCHES:
            return None
        part = np.concatenate(self._parts, axis=1) / self._count
        score: Floats = np.sum(self._scores, axis=0) / self._count
        mean = mean_of_draws(score, part, np.concatenate(self._chances))
        assert mean.degrees is not None
        few = float(np.median(np.diag(mean.degrees))) < FEWEST_DEGREES
        return mean.withhold(TOO_FEW) if few else mean

    @property
    def deviations(self) -> float:
        """How far the last drawn pairs together were from what was expected, in deviations."""
        total = sum(wrong for wrong, _ in self._surprise)
        spread = sum(chance for _, chance in self._surprise)
        return total / math.sqrt(max(spread, NOTHING_OPEN))

    @property
    def failed(self) -> str | None:
        """What speaks against the model, None if nothing does."""
        if abs(self.deviations) <= MOST_DEVIATIONS:
            return None
        more = "more" if self.deviations > 0 else "less"
        return (
            f"of the last {len(self._surprise)} documents sampled at random {more} were relevant "
            f"than the model expected ({abs(self.deviations):.1f} standard deviations)"
        )


LOOKS = 4
"""A stopping rule is met where it was met at so many batches in a row: leaders change early on."""


@dataclass
class LikelyState:
    """What an order knew at its last batches: posteriors of the scores, and its audit so far."""

    audit: Audit
    recent: list[ScorePosterior] = field(default_factory=list)
    n_judged: int = 0

    @property
    def posterior(self) -> ScorePosterior | None:
        """The posterior at the last batch, None before the first."""
        return self.recent[-1] if self.recent else None

    def look(self, posterior: ScorePosterior, n_judged: int) -> None:
        """Take up the posterior after so many judgments."""
        self.recent = [*self.recent, posterior][-LOOKS:]
        self.n_judged = n_judged

    def lasting_confidence(self, k: int, within: float) -> float:
        """Return the lowest probability, over the last batches, that the k best were the best.

        0 while there were too few batches or judgments.
        """
        if len(self.recent) < LOOKS or self.n_judged < FEWEST_JUDGED:
            return 0.0
        return min(posterior.confidence(posterior.best(k), within) for posterior in self.recent)

    @property
    def caveat(self) -> str:
        """Why the last posterior's probability of the best run should not be relied on, or ""."""
        if self.audit.failed:
            return self.audit.failed
        now = self.posterior
        if now is None or now.confidence(now.best(), WITHIN) < LIKELY:
            return ""
        if self.lasting_confidence(1, WITHIN) >= LIKELY:
            return ""
        return f"it counts after {FEWEST_JUDGED} judgments, where {LOOKS} batches in a row agree"


NEGLIGIBLE_CHANCE = 1e-3
"""Runs that are less likely to be ahead are left out."""

EVEN = 0.1
"""The share of the audit that is drawn evenly, whatever a pair weighs."""


@orders.register
@dataclass(frozen=True)
class LikelyWinner(Order):
    """Pairs that are most informative about the likely winner, and a random audit sample.

    Formula: weight(d) = sum over b, s of P(s is better than b) |c_sd - c_bd| sqrt(f_d (1 - f_d))

    b are the `k` best runs by what a model expects, s the others; f_d is the gain that the model
    expects. aim=order takes all pairs of runs instead, aim='a,b' these two. The first `pilot`
    pairs are those of a pool; then batches are chosen, each by all judgments before it. The share
    `audit` of a batch is sampled at random, so that scores can be estimated without bias and the
    model be checked: what an order chooses is not like the rest.

    Ours: see docs/methods/likely.md.
    """

    exhaustive = False
    uses_labels = True

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
    order: LikelyWinner
    runs: Runs
    queue: list[Choice] = field(default_factory=list)
    n_batches: int = 0

    def __post_init__(self) -> None:
        self.measure = self.order.weighted
        self.model = WinnerModel(self.runs, self.measure)
        weights = self.model.weights
        self.pair = weights.pair
        self.place = np.full(len(self.runs.pairs), -1, np.int64)
        self.place[self.pair] = np.arange(len(self.pair))
        self.judged = np.zeros(len(self.pair), np.bool_)
        self.gone = np.zeros(len(self.pair), np.bool_)
        self.grade, self.best = np.zeros(len(self.pair), np.int64), 1
        self.gain = np.zeros(len(self.pair))
        self.known = LikelyState(Audit(weights))
        # What the measure does not look at tells the model something too.
        n = len(self.runs.pairs)
        self.told, self.grades = np.zeros(n, np.bool_), np.zeros(n, np.int16)

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
        first = DepthFirst(p=0.8, seed=self.order.seed).start(self.runs)
        while len(self.queue) < wanted and (choices := first.next(wanted)):
            places = ((self.place[each.pair], each) for each in choices)
            self.queue += [each for at, each in places if at >= 0 and not self.judged[at]]

    def _batch(self) -> None:
        state, order = self.known, self.order
        state.audit.settle(self.gain)
        posterior = self.model.posterior(self._judgments())
        state.look(posterior, int(self.judged.sum()))
        open_ = ~(self.judged | self.gone)
        n_drawn = order.audit * order.batch
        weight = np.where(open_, self._weight(posterior), -1.0)
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
            expected = posterior.expected
            at = np.flatnonzero(drawn).tolist()
            waiting = {*at, *top.tolist(), *np.flatnonzero(self.gone & ~self.judged).tolist()}
            state.audit.batches.append(AuditBatch(left, chance, expected, drawn, waiting))
            self.queue += [Choice(int(self.pair[each]), None) for each in at]
        if not self.queue:
            rest = np.flatnonzero(open_)[: order.batch]
            self.queue = [Choice(int(self.pair[at]), 0.0) for at in rest]

    def _judgments(self) -> Judgments:
        """What is judged, of all pairs."""
        return Judgments(self.runs.pairs, self.told.copy(), self.grades.copy())

    def _weight(self, posterior: ScorePosterior) -> Floats:
        matrix = self.model.weights.matrix
        total = np.zeros(len(self.pair))
        for run, rivals in groupby(self.order.rivals(posterior), itemgetter(0)):
            _, others, chance = zip(*rivals, strict=True)
            theirs = matrix[list(others)]
            # Only where the run has a weight does its difference from a rival differ from theirs.
            mine = matrix[[run]].tocoo()
            block = theirs[:, mine.col].toarray()
            total += theirs.T @ np.array(chance)
            total[mine.col] += chance @ (np.abs(block - mine.data) - block)
        expected = posterior.expected
        weight: Floats = total * np.sqrt(np.maximum(expected * (1 - expected), 0.0))
        # Sums in another order differ in the last digits: equals stay equals.
        return np.round(weight, 12)

    def tell(self, pair: int, grade: int) -> None:
        at = int(self.place[pair])
        self.told[pair], self.grades[pair] = True, max(grade, 0)
        if at < 0 or self.judged[at]:
            return
        self.judged[at] = True
        self.grade[at] = max(grade, 0)
        # Where the measure does not name the best grade, a better one changes all gains.
        changed = slice(None) if grade > self.best else at
        self.best = max(self.best, grade)
        self.gain[changed] = self.measure.gain(self.best)[self.grade[changed]]
        self._no_longer_waiting(at)

    def tell_all(self, judgments: Judgments) -> None:
        """Report all these judgments at once: before a batch is chosen nothing waits for them."""
        if self.known.audit.batches:
            super().tell_all(judgments)
            return
        self.told |= judgments.judged
        self.grades[judgments.judged] = judgments.grade[judgments.judged]
        at = self.place[judgments.judged]
        grade = judgments.grade[judgments.judged].astype(np.int64)
        new = at >= 0
        new[new] = ~self.judged[at[new]]
        at, grade = at[new], grade[new]
        self.judged[at] = True
        self.grade[at] = np.maximum(grade, 0)
        self.best = max(self.best, int(grade.max(initial=self.best)))
        self.gain[self.judged] = self.measure.gain(self.best)[self.grade[self.judged]]

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
