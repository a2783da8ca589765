"""Scores from a designed sample: a model's expectation, put right by what was drawn."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.assisted_ap import AssistedAP
from leadline.estimators.assisted_batches import assisted_by_batches
from leadline.estimators.assisted_ndcg import AssistedNDCG, topic_sums
from leadline.estimators.cross_fit import DrawnPairs
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimated_ratios import EstimatedRatios
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.sampled_mean import mean_of_draws
from leadline.measures.weighted import Weighted
from leadline.pools.strategy import pools
from leadline.tables.arrays import Floats
from leadline.tables.mean_estimate import MeanEstimate

FEWEST_DRAWN = 350
"""Sampled judgments below which no interval is offered: with 200, coverage fell to 89.7%."""

AP_DOUBT = "errors of AP@k were not seen to hold: its value is offered without one"

FEWEST_BY_BATCHES = 700
"""The same with design=: with 400, coverage of scores fell to 91% on TREC-COVID."""

SHRUNK = "no interval with shrink=true, because no standard error covers its bias"

MOST_BEYOND = 0.01
"""So much of a measure's weight may lie where nothing could be drawn."""


@estimators.register
@dataclass(frozen=True)
class Assisted(Estimator):
    """Scores without bias from judgments drawn by chance: what a model expects, plus its error.

    Formula: S_r = sum_p W_rp f_p + sum over drawn p of W_rp (h_p - f_p) / pi_p

    W_rp is the weight of pair p in run r over the number of topics, h_p its gain, pi_p the chance
    with which it was drawn, f_p the gain that a regression on ranks expects, learnt from drawn
    pairs of other folds only. Whatever f says, the mean score has no bias; a good f makes the error
    small. variance = sum over drawn p of (W_rp (h_p - f_p) / pi_p)^2 (1 - pi_p), for a difference
    with W_a - W_b in the place of W; intervals have Student's quantile. Below 350 sampled
    judgments neither an interval nor a standard error is offered. With shrink=true the correction
    of what was not judged is drawn, run by run, towards that of all: biased, so without standard
    errors, but the order of many runs is nearer to the truth.

    Chances in batches follow draws of other pairs that followed a pair's own: a bias from that, a
    thirty-sixth of the error, was seen with 200 judgments of 143 runs, and none with more. With
    design= the name of the Designed pool, and its seed, batches are gone through again and added up
    so that there can be none; differences and scores err up to a fifth more.

    nDCG@k is the mean over topics of such a sum over such an ideal, of what some run has in its
    first k; AP@k of such a sum of precisions over such a number of relevant documents, without
    an interval.

    Judgments must come from a pool that was drawn: Designed, Sampled, Stratified, TwoStrata.

    Model-assisted estimation: Saerndal, Swensson and Wretman, 1992; here see docs/methods/few.md.
    """

    shrink: bool = False
    seed: int = 0
    design: str = ""

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The expected gains, with the mean scores put right by what was drawn."""
        weights = PairWeights.of(evidence.runs, evidence.weighted)
        sample = drawn_pairs(evidence, weights, self.seed)
        if self.design:
            mean = self._by_batches(evidence, weights, sample)
        else:
            mean = shrunk(weights, sample) if self.shrink else assisted(weights, sample)
        doubts = out_of_reach(evidence, weights, sample)
        expected = np.zeros(len(evidence.runs.pairs))
        expected[weights.pair] = sample.expected
        filled = evidence.filled(expected[evidence.runs.pair])
        mean = drop_unreliable_interval(mean, sample, doubts)
        return EstimatedGains(evidence, filled.gain, filled.tail, of_mean=mean, doubts=doubts)

    def _by_batches(
        self, evidence: Evidence, weights: PairWeights, sample: DrawnPairs
    ) -> MeanEstimate:
        """Batches of the named design added up, so that there is no bias at all."""
        if self.shrink:
            raise ValueError("shrink=true has a bias, design= is to have none: give one of them")
        strategy, pool = pools.parse(self.design), evidence.pool
        if pool is None or pool.batch is None:
            raise ValueError(f"design={strategy} needs the pool's file with its column batch")
        draws = strategy.batch_draws(evidence.runs, self.seed, evidence.judgments, pool)
        if not np.array_equal(draws.pair, weights.pair):
            raise ValueError(f"{strategy} was drawn for other ranks than {evidence.measure} has")
        drawn_at = draws.batch[sample.rows] - 1
        chance = 1 - (1 - draws.chance).prod(axis=0)
        if (drawn_at < 0).any() or not np.allclose(
            chance[sample.rows], sample.inclusion[sample.rows], atol=1e-6
        ):
            raise ValueError(
                f"the pool was not drawn by {strategy} with seed={self.seed}: other chances follow"
            )
        mean = assisted_by_batches(weights, draws, sample.gain)
        n_drawn = len(sample.rows)
        return mean if n_drawn >= FEWEST_BY_BATCHES else mean.withhold(_too_few(FEWEST_BY_BATCHES))

    @property
    def _departs(self) -> bool:
        """Whether it is asked for in a form that only sums have."""
        return self.shrink or bool(self.design)

    def _precision(self, evidence: Evidence, relevant: Weighted) -> EstimatedRatios:
        """AP@k without errors: those of one step, as nDCG has them, were seen to be too small."""
        assert relevant.depth is not None
        of_sums = evidence.but(measure=relevant)
        weights = PairWeights.of(evidence.runs, relevant)
        sample = drawn_pairs(of_sums, weights, self.seed)
        found = AssistedAP.of(weights, sample, relevant.depth)
        doubts = out_of_reach(of_sums, weights, sample)
        mean = found.of_mean.withhold(AP_DOUBT)
        return EstimatedRatios(evidence, found.value, mean, (*doubts, AP_DOUBT))

    def drawn(self, evidence: Evidence) -> EstimatedRatios:
        """nDCG@k and AP@k: sums over ideals, both put right by what was drawn."""
        measure, weighted = evidence.measure, evidence.measure.numerator
        if measure.averaged is not None and not self._departs:
            return self._precision(evidence, measure.averaged)
        if weighted is None or weighted.depth is None or self._departs:
            raise ValueError(
                f"{self} cannot estimate {measure}: Assisted estimates RBP, P@k, DCG@k, SDCG@k, "
                "nDCG@k and AP@k (with @k, and without shrink=true or design=)"
            )
        of_sums = evidence.but(measure=weighted)
        weights = PairWeights.of(evidence.runs, weighted)
        sample = drawn_pairs(of_sums, weights, self.seed)
        found = AssistedNDCG.of(weights, sample, weighted.depth)
        doubts = out_of_reach(of_sums, weights, sample)
        known = np.where(sample.drawn, sample.gain, sample.expected)
        value = topic_sums(weights, known) / found.ideal
        mean = drop_unreliable_interval(found.of_mean, sample, doubts)
        return EstimatedRatios(evidence, value, mean, doubts)


def drop_unreliable_interval(
    mean: MeanEstimate, sample: DrawnPairs, doubts: tuple[str, ...] = ()
) -> MeanEstimate:
    """Return the means without errors where intervals failed in simulation, else as they are."""
    if mean.withheld:
        return mean
    if doubts:
        return mean.withhold(doubts[0])
    exact = bool((sample.drawn & (sample.inclusion == 1)).all())
    few = len(sample.rows) < FEWEST_DRAWN and not exact
    return mean.withhold(_too_few(FEWEST_DRAWN)) if few else mean


def _too_few(least: int) -> str:
    """Return the reason why fewer sampled judgments have no interval."""
    return (
        f"no interval below {least} sampled judgments, because coverage fell below 93% in "
        "simulation"
    )


def drawn_pairs(evidence: Evidence, weights: PairWeights, seed: int) -> DrawnPairs:
    """The sample behind the judgments; a ValueError if they were not drawn by chance."""
    judgments = evidence.judgments
    if judgments.inclusion is None:
        raise ValueError(
            "Assisted needs judgments that were drawn by chance, each with its inclusion "
            "probability: make a pool with `leadline pool --strategy 'Designed(n=400, ...)'` (or "
            "Sampled, Stratified, TwoStrata), judge it, and name its file with --pool"
        )
    pair = weights.pair
    inclusion = judgments.inclusion[pair]
    drawn = judgments.judged[pair] & (inclusion > 0)
    everyone = evidence.contributing is None or np.all(evidence.contributing)
    return DrawnPairs(
        weights.feature if everyone else weights.feature_by(evidence.contributors),
        weights.topic,
        len(evidence.runs.pairs.topics),
        drawn,
        np.where(inclusion > 0, inclusion, 1.0),
        judgments.grade[pair].astype(np.int64),
        weights.folds(seed),
        evidence.gain_table,
    )


def out_of_reach(evidence: Evidence, weights: PairWeights, sample: DrawnPairs) -> tuple[str, ...]:
    """The doubt that much of what the measure weighs could not have been drawn; empty if it could.

    A file that has no chances of what was not drawn tells by how deep it reaches into the runs.
    """
    assert evidence.judgments.inclusion is not None
    chance = evidence.judgments.inclusion[weights.pair] > 0
    if (chance == sample.drawn).all() and not sample.drawn.all():
        best = evidence.runs.best_rank[weights.pair]
        chance = best <= best[sample.drawn].max(initial=0)
    whole = weights.matrix.sum()
    beyond = 1 - float((weights.matrix @ chance.astype(np.float64)).sum() / whole) if whole else 0.0
    if beyond <= MOST_BEYOND:
        return ()
    return (
        f"{beyond:.0%} of what {evidence.measure} weighs lies where nothing could be drawn, so "
        "that a model alone speaks there: draw for a measure that looks as deep, to the last batch",
    )


def assisted(weights: PairWeights, sample: DrawnPairs) -> MeanEstimate:
    """The mean score of every run, and the covariance of their errors."""
    error = sample.error(sample.expected, sample.drawn)
    rows = np.flatnonzero(sample.drawn)
    weight, chance = weights.matrix[:, rows].toarray(), sample.inclusion[rows]
    typical = weight * (sample.spread()[rows] / chance)
    score = weights.scores(sample.expected + error)
    return mean_of_draws(score, weight * error[rows], chance, typical)


def covariance(weights: PairWeights, variance: Floats) -> Floats:
    """[runs, runs]: the sum over pairs of W_rp W_sp times the variance of p."""
    some = np.flatnonzero(variance)
    part = weights.matrix[:, some]
    total: Floats = (part * variance[some] @ part.T).toarray()
    return total


def shrunk(weights: PairWeights, sample: DrawnPairs) -> MeanEstimate:
    """What was judged as it was judged; what the rest lacks, R_r, drawn towards its mean c.

    R_r = sum over drawn p of W_rp (h_p - f_p) (1 - pi_p) / pi_p estimates by how much the model is
    off where nothing was judged. R_r - c counts t^2 / (t^2 + V_r), V_r the variance of its error,
    t^2 = max(0, mean of (R_r - c)^2 - V_r).
    """
    error = sample.error(sample.expected, sample.drawn)
    open_ = 1 - sample.inclusion
    lacking = weights.scores(error * open_)
    spread = covariance(weights, error**2 * open_)
    n = len(lacking)
    centre = np.eye(n) - 1 / n
    own = np.diag(centre @ spread @ centre)
    away = lacking - lacking.mean()
    truth = max(0.0, float((away**2 - own).mean()))
    share = np.divide(truth, truth + own, out=np.ones(n), where=truth + own > 0)
    seen = weights.scores(np.where(sample.drawn, sample.gain, sample.expected))
    score = seen + lacking.mean() + share * away
    return MeanEstimate(score, spread).withhold(SHRUNK)
