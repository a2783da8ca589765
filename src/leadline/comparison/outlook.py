"""Who is best, how sure that is, and how many judgments it takes until it is likely or certain."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from leadline.comparison.sureness import CONFIDENCE, WITHIN, Sureness, chance_of_best
from leadline.comparison.until_certain import until_certain
from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.score_model import VARIANCE_FACTOR, ScorePosterior
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.scores import SCORE_NOISE

N_LOOKS = 200
"""At so many counts of judgments the probability is forecast."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """The run that leads by a model, how sure it is to be best, and what more judgments do.

    `probability` is that no other run is better by more than `within`. `to_likely` and `to_certain`
    are forecasts of how many judgments it takes, 0 once it is so; `looks` and `chance` are the
    probability to expect after so many more judgments. `expected` are all runs' scores.
    """

    leader: int
    sure: Sureness
    probability: float
    confidence: float
    to_likely: int
    to_certain: int
    looks: Int64s
    chance: Floats
    expected: Floats

    @property
    def chance_of_leader(self) -> str:
        """The probability that the leader is best, in words."""
        return chance_of_best(self.probability)

    def after(self, n: int) -> float:
        """The probability to expect after n more judgments; what is left beyond all is certain."""
        return float(np.interp(n, self.looks, self.chance))


def outlook(
    posterior: ScorePosterior,
    weights: PairWeights,
    judged: Bools,
    gain: Floats,
    *,
    certain: bool,
    confidence: float = CONFIDENCE,
    within: float = WITHIN,
) -> Outlook:
    """What a posterior says of the best run; `judged` and `gain` are those of the weights' pairs.

    Whether the best run is `certain` whoever asks must know: the weights leave out ranks that
    hardly count.

    Formula: likely after the least n with sum over s of P(score_s - score_L > within | n) <= 1 -
    confidence

    Documents are taken in the order of what they weigh in the differences that matter, and to be
    as good as the model expects: then the means stay and only what is open shrinks. For `certain`
    see `until_certain`.
    """
    leader = int(np.argmax(posterior.best()))
    probability = posterior.confidence(posterior.best(), within)
    contrasts = _Contrasts(posterior, weights, judged, leader)
    to_certain = 0
    if not certain:
        to_certain = max(1, until_certain(weights, judged, gain, posterior.expected))
    looks, chance = contrasts.forecast(within)
    # Joint draws know better than the sum over runs what is so now.
    chance = np.maximum(chance, min(probability, 1.0))
    to_likely = None
    if (chance >= confidence).any():
        to_likely = int(looks[np.argmax(chance >= confidence)])
    to_likely = to_certain if to_likely is None else min(to_likely, to_certain)
    sure: Sureness = "open"
    if certain:
        sure = "certain"
    elif probability >= confidence:
        sure = "likely"
    return Outlook(
        leader,
        sure,
        probability,
        confidence,
        to_likely,
        to_certain,
        looks,
        chance,
        posterior.mean,
    )


def outlook_of(
    posterior: ScorePosterior,
    judgments: Judgments,
    measure: Measure,
    *,
    certain: bool,
    confidence: float = CONFIDENCE,
) -> Outlook:
    """The outlook from judgments of all pairs, by a weighted measure."""
    weighted = measure.numerator
    assert weighted is not None
    weights = PairWeights.of(posterior.runs, weighted)
    judged = judgments.judged[weights.pair]
    gain = weighted.gain(judgments.max_grade)[judgments.grade[weights.pair]]
    return outlook(posterior, weights, judged, gain, certain=certain, confidence=confidence)


class _Contrasts:
    """The differences of all other runs to the leader, over the unjudged pairs."""

    def __init__(
        self,
        posterior: ScorePosterior,
        weights: PairWeights,
        judged: Bools,
        leader: int,
    ) -> None:
        self.posterior, self.leader = posterior, leader
        left = np.flatnonzero(~judged)
        self.expected = posterior.expected[left]
        self.matrix = weights.matrix[:, left]
        self.others = [run for run in range(len(posterior.mean)) if run != leader]

    def _apart(self, run: int) -> Floats:
        """How much more each unjudged pair weighs in a run than in the leader."""
        row: Floats = (self.matrix[[run]] - self.matrix[[self.leader]]).toarray()[0]
        return row

    def _order(self, share: Floats) -> Int64s:
        """Unjudged pairs, heaviest first, by the runs that count so much; none that weigh 0."""
        total = np.zeros(len(self.expected))
        for run in self.others:
            if share[run] > 0:
                total += share[run] * np.abs(self._apart(run))
        order = np.argsort(-np.round(total, 12), kind="stable")
        return order[total[order] > 0]

    def forecast(self, within: float) -> tuple[Int64s, Floats]:
        """Counts of judgments, and the probability to expect then that the leader is best."""
        ahead = self.posterior.ahead(self.leader)
        order = self._order(ahead)
        looks = np.unique(np.linspace(0, len(order), N_LOOKS + 1).round().astype(np.int64))
        failing = np.zeros(len(looks))
        own = self.expected * (1 - self.expected)
        covariance, mean = self.posterior.covariance, self.posterior.mean
        for run in self.others:
            apart = self._apart(run)[order]
            lead = mean[self.leader] - mean[run] + within
            variance = (
                covariance[run, run]
                + covariance[self.leader, self.leader]
                - 2 * covariance[run, self.leader]
            )
            of_pairs = VARIANCE_FACTOR * _rest(apart**2 * own[order], looks)
            # What is open of the model moves all pairs together, so it falls with their sum.
            share = _rest(np.abs(apart) * own[order], looks)
            of_model = max(0.0, float(variance - of_pairs[0]))
            open_ = of_pairs + of_model * (share / max(share[0], SCORE_NOISE)) ** 2
            failing += ndtr(-lead / np.sqrt(np.maximum(open_, SCORE_NOISE**2)))
        return looks, np.clip(1 - failing, 0.0, 1.0)


def _rest(amount: Floats, looks: Int64s) -> Floats:
    """What remains of a sum after the first so many."""
    cumulative = np.concatenate([[0.0], amount.cumsum()])
    left: Floats = np.maximum(cumulative[-1] - cumulative[looks], 0.0)
    return left
