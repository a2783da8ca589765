"""Scores from a designed sample: a model's expectation, corrected by what was drawn."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from leadline.completions.anytime import AnytimeScores, anytime_scores
from leadline.completions.cross_fit import DrawnPairs
from leadline.completions.estimator import (
    EstimatedGains,
    EstimatedRatios,
    Estimator,
    TrainingData,
    estimators,
)
from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Floats, Int64s
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.pool import BatchDraws
from leadline.measures.dcg import discounts
from leadline.measures.measure import Weighted
from leadline.pooling.strategies import pools

TYPICAL_DEGREES = 10.0
"""So many degrees of freedom the model of errors counts for; chosen on robust2004_pooled42."""

NOTHING = 1e-12
"""Of what two runs have by themselves: their difference has none."""


def mean_of_draws(
    score: Floats, part: Floats, inclusion: Floats, typical: Floats | None = None
) -> MeanEstimate:
    """Scores with errors, from the part [runs, draws] that each draw adds to them, divided by pi.

    Variance V = sum over draws of part^2 (1 - pi), for a difference of part_a - part_b. `typical`
    is how large the parts are by a model of errors: what it makes of a score's V counts as ten
    degrees of freedom beside those by which V is known, so that a few lucky draws do not make a
    score look certain, nor a few heavy ones hopeless. Differences go by what was drawn alone.
    """
    missed = 1 - inclusion
    variance = _variances(part, missed)
    known = degrees(variance, part, missed)
    if typical is not None:
        own, alone = np.diag(known), np.diag(variance)
        share = np.where(np.isinf(own), 1.0, 1 / (1 + TYPICAL_DEGREES / np.maximum(own, 1e-9)))
        np.fill_diagonal(variance, share * alone + (1 - share) * (typical**2 @ missed))
        np.fill_diagonal(known, own + TYPICAL_DEGREES)
    alone = np.diag(variance)
    covariance = (alone[:, None] + alone - variance) / 2
    np.fill_diagonal(covariance, alone)
    return MeanEstimate(score, covariance, known)


def _variances(part: Floats, missed: Floats) -> Floats:
    """[runs, runs]: of scores on the diagonal, of differences beside it."""
    together = (part * missed) @ part.T
    own = np.diag(together)
    variance: Floats = np.maximum(own[:, None] + own - 2 * together, 0.0)
    np.fill_diagonal(variance, own)
    return variance


def degrees(variance: Floats, part: Floats, missed: Floats) -> Floats:
    """[runs, runs]: by how many degrees of freedom variances are known, Satterthwaite's 2 V^2 / U.

    U is the variance of V, as much as was drawn tells: the sum over draws of part^4 (1 - pi)^3, for
    a difference of part_a - part_b. Few heavy draws make few degrees.
    """
    square, weight = part**2, missed**3
    even = (square * weight) @ square.T
    odd = (square * part * weight) @ part.T
    own = np.diag(even)
    together = own[:, None] + own
    of_variance = together - 4 * (odd + odd.T) + 6 * even
    np.fill_diagonal(of_variance, own)
    # Sums of the same terms differ in their last digits.
    known: Floats = np.full(variance.shape, np.inf)
    np.divide(2 * variance**2, of_variance, out=known, where=of_variance > NOTHING * together)
    return known


MORE_AFTER_FIRST, MORE_LATER = 2.0, 1.5
"""So much more than by equal chances later batches tell; by trec_dl21_half, robust2004_pooled42."""


def batch_shares(chance: Floats) -> Floats:
    """[batches, pairs]: how much each batch counts for a pair, 1 all together.

    Of what earlier ones left, batch b takes pi_b / (pi_b + T ((1 - next)^-m - 1)), m being the
    batches that still come for the pair, next its chance in the following one (pi_b if it has no
    turn there), and the last one takes the rest: pi / (1 - pi) over what has been left is how much
    a batch tells, T how much more later ones tell than they would by the same chance. No share
    follows from whether its own batch, or a later one, draws the pair.

    >>> batch_shares(np.array([[0.5], [0.5]])).round(3).tolist()
    [[0.2], [0.8]]
    """
    turn = chance > 0
    later = turn[::-1].cumsum(axis=0)[::-1] - turn
    share, left = np.zeros(chance.shape), np.ones(chance.shape[1])
    for batch, pi in enumerate(chance):
        more = MORE_LATER if batch else MORE_AFTER_FIRST
        following = chance[min(batch + 1, len(chance) - 1)]
        following = np.where(following > 0, following, pi)
        with np.errstate(divide="ignore"):
            still = more * ((1 - following) ** -later[batch].astype(np.float64) - 1)
        own = np.divide(pi, pi + still, out=np.zeros(len(pi)), where=turn[batch])
        share[batch] = left * own
        left -= share[batch]
    return share


def observed_gains(draws: BatchDraws, gain: Floats) -> tuple[Floats, Floats, Floats]:
    """The gain told of every pair, without bias; what its draw added to it; and its share.

    With a_b the share of batch b, f_b what others' draws up to it say and h the gain:
    sum_b a_b f_b for what was never drawn, and for what batch b drew
    sum_{c<b} a_c f_c + a_b (f_b + (h - f_b) / pi_b) + (1 - sum_{c<=b} a_c) h.
    """
    share = batch_shares(draws.chance)
    rows = np.flatnonzero(draws.batch)
    at = draws.batch[rows] - 1
    modelled, counted = (share * draws.expected).cumsum(axis=0), share.cumsum(axis=0)
    # Where no batch could draw, the model alone speaks.
    told = modelled[-1] + (1 - counted[-1]) * draws.expected[-1]
    own = share[at, rows]
    step, of_draw = np.zeros(len(told)), np.zeros(len(told))
    step[rows] = own * (gain[rows] - draws.expected[at, rows]) / draws.chance[at, rows]
    told[rows] = modelled[at, rows] + step[rows] + (1 - counted[at, rows]) * gain[rows]
    of_draw[rows] = own
    return told, step, of_draw


def assisted_by_batches(weights: PairWeights, draws: BatchDraws, gain: Floats) -> MeanEstimate:
    """The mean score of every run, and the covariance of their errors.

    Given what was known before a batch and the draws of the others in it, whether it draws a pair
    adds nothing on average: the variance is the sum over drawn pairs of
    (W a_b (h - f_b) / pi_b)^2 (1 - pi_b).
    """
    told, step, share = observed_gains(draws, gain)
    rows = np.flatnonzero(draws.batch)
    at = draws.batch[rows] - 1
    chance = draws.chance[at, rows]
    weight = weights.matrix[:, rows].toarray()
    typical = weight * (share[rows] * draws.spread[at, rows] / chance)
    return mean_of_draws(weights.scores(told), weight * step[rows], chance, typical)


@dataclass(frozen=True, eq=False)
class TopicIdeals:
    """The ideal `value` of each topic, of what some run has where the measure looks.

    `moved` [pairs] is what each drawn pair adds to that of its topic.
    """

    value: Floats
    moved: Floats

    @classmethod
    def of(cls, sample: DrawnPairs, k: int) -> "TopicIdeals":
        """Expected by the model and what was drawn, plus a share of the correction by the draws.

        For every grade at which the gain rises, by s: the documents that reach it are as many as
        independent draws with chances f make them, and the first k of them earn the first
        discounts. A drawn pair counts f + pi (reached - f) there, all it is where it was to be
        drawn for certain, and s * slope * (reached - f) (1 / pi - pi) in the correction C. Few
        pairs are drawn for a topic, and the ideal is divided by: C is pulled to 0 by
        t^2 / (t^2 + V), t^2 = max(0, mean over topics of C^2 - V).
        """
        n_topics, n_pairs = sample.n_topics, len(sample.topic)
        rows, own = sample.rows, (sample.fold, np.arange(n_pairs))
        topic, pi = sample.topic[rows], sample.inclusion[rows]
        value, error = np.zeros(n_topics), np.zeros(len(rows))
        step = np.diff(sample.table)
        for grade in (np.flatnonzero(step > 0) + 1).tolist():
            reached = (sample.grade[rows] >= grade).astype(np.float64)
            chance = sample.regressed(reached)[own]
            off = reached - chance[rows]
            chance[rows] += pi * off
            sums, more = expected_sums(chance, sample.topic, n_topics, k)
            height = float(step[grade - 1])
            value += height * sums
            error += height * more[topic] * off
        least = float(sample.table[sample.table > 0].min(initial=1.0))
        return cls.pulled(sample, value, error, least)

    @classmethod
    def pulled(
        cls, sample: DrawnPairs, value: Floats, error: Floats, least: float
    ) -> "TopicIdeals":
        """By the model, corrected by a share of what the `error` of drawn pairs says it lacks."""
        n_topics, rows = sample.n_topics, sample.rows
        topic, pi = sample.topic[rows], sample.inclusion[rows]
        part = error * (1 / pi - pi)
        correction = np.bincount(topic, part, n_topics)
        variance = np.bincount(topic, part**2 * (1 - pi), n_topics)
        truth = max(0.0, float((correction**2 - variance).mean())) if n_topics else 0.0
        share = np.divide(
            truth, truth + variance, out=np.ones(n_topics), where=truth + variance > 0
        )
        moved = np.zeros(len(sample.topic))
        moved[rows] = share[topic] * part + pi * error
        return cls(np.maximum(value + share * correction, least), moved)


def expected_sums(chance: Floats, topic: Int64s, n_topics: int, k: int) -> tuple[Floats, Floats]:
    """[topics]: the expected sum of the first min(n, k) discounts, and what one more would add.

    n is how many pairs of the topic come true, each with its own chance. `topic` is ascending.

    >>> sums, more = expected_sums(np.array([1.0, 0.5]), np.array([0, 0]), 1, 2)
    >>> sums.round(4).tolist(), more.round(4).tolist()
    ([1.3155], [0.3155])
    """
    start = np.searchsorted(topic, np.arange(n_topics + 1))
    longest = int(np.diff(start).max(initial=0))
    table = np.zeros((n_topics, longest))
    table[topic, np.arange(len(topic)) - start[topic]] = chance
    known = np.zeros((n_topics, k + 1))
    known[:, 0] = 1.0
    for column in range(longest):
        risen = known * table[:, column, None]
        known -= risen
        known[:, 1:] += risen[:, :-1]
        known[:, -1] += risen[:, -1]
    each = discounts(k)
    return known[:, 1:] @ each.cumsum(), known[:, :-1] @ each


@dataclass(frozen=True, eq=False)
class AssistedNDCG:
    """Mean scores with their errors, and the ideal of every topic that they were divided by."""

    of_mean: MeanEstimate
    ideal: Floats

    @classmethod
    def of(cls, weights: PairWeights, sample: DrawnPairs, k: int) -> "AssistedNDCG":
        """The mean over topics of S_rt / I_t, by one step of Newton from both for its error.

        S_rt = sum_p W_rp f_p + sum over drawn p of W_rp (h_p - f_p) / pi_p over the pairs of t. A
        drawn pair adds W_rp (h_p - f_p) / pi_p / I_t to it, less S_rt / I_t^2 times what it adds to
        the ideal. That errors of both cancel is not believed of a score, only of a difference: its
        variance is no smaller than it would be were the ideals known.
        """
        ideals = TopicIdeals.of(sample, k)
        error = sample.error(sample.expected, sample.drawn)
        ratio = topic_sums(weights, sample.expected + error) / ideals.value
        rows = sample.rows
        topic, chance = sample.topic[rows], sample.inclusion[rows]
        own = weights.matrix[:, rows].toarray() / ideals.value[topic]
        lost = ratio[:, topic] / (ideals.value[topic] * max(sample.n_topics, 1))
        part = own * error[rows] - lost * ideals.moved[rows]
        typical = own * (sample.spread()[rows] / chance)
        mean = ratio.mean(axis=1)
        told = mean_of_draws(mean, part, chance, typical)
        if_known = mean_of_draws(mean, own * error[rows], chance, typical)
        more = np.maximum(np.diag(if_known.covariance) - np.diag(told.covariance), 0.0)
        wide = told.covariance + (more[:, None] + more) / 2
        return cls(replace(told, covariance=wide), ideals.value)


def topic_sums(weights: PairWeights, gain: Floats) -> Floats:
    """[runs, topics]: the sum of weights and gains of every list."""
    from scipy.sparse import csr_array

    n_topics, n_pairs = len(weights.runs.pairs.topics), len(weights.pair)
    placed = csr_array((gain, (np.arange(n_pairs), weights.topic)), shape=(n_pairs, n_topics))
    sums: Floats = n_topics * (weights.matrix @ placed).toarray()
    return sums


@dataclass(frozen=True, eq=False)
class AssistedAP:
    """Mean scores, whose intervals were not seen to hold, and value [runs, topics] by the model."""

    of_mean: MeanEstimate
    value: Floats

    @classmethod
    def of(cls, weights: PairWeights, sample: DrawnPairs, k: int) -> "AssistedAP":
        """The mean over topics of N_rt / R_t, by one step from what is known and expected.

        q_p is f_p, for drawn p f_p + pi_p (h_p - f_p), and N_rt = sum over ranks i of
        q_i (1 + sum_{j<i} q_j) / i, the expectation of AP's sum over documents that are relevant
        with these chances. A drawn pair adds dN/dq_p (h_p - f_p) (1 / pi_p - pi_p). R_t, how many
        of what some run has in its first k are relevant, is corrected as nDCG's ideals are.
        """
        n_topics, rows = sample.n_topics, sample.rows
        topic, pi = sample.topic[rows], sample.inclusion[rows]
        off = sample.gain[rows] - sample.expected[rows]
        known = sample.expected.copy()
        known[rows] += pi * off
        relevant = TopicIdeals.pulled(
            sample, np.bincount(sample.topic, known, n_topics).astype(np.float64), off, 1.0
        )
        place = places(weights, k)
        base, slope = precision_sums(known, place)
        own = np.zeros((len(place), len(known)))
        run, at_topic, rank = np.nonzero(place >= 0)
        own[run, place[run, at_topic, rank]] = slope[run, at_topic, rank]
        own = own[:, rows]
        added = np.zeros(base.shape)
        for number in np.unique(topic).tolist():
            mine = topic == number
            added[:, number] = own[:, mine] @ (off * (1 / pi - pi))[mine]
        ratio = (base + added) / relevant.value
        scale = relevant.value[topic] * max(n_topics, 1)
        part = (own * (off / pi) - ratio[:, topic] * relevant.moved[rows]) / scale
        typical = own * (sample.spread()[rows] / pi) / scale
        mean = mean_of_draws(ratio.mean(axis=1), part, pi, typical)
        seen = np.where(sample.drawn, sample.gain, sample.expected)
        value = precision_sums(seen, place)[0] / relevant.value
        return cls(mean, np.minimum(value, 1.0))


def places(weights: PairWeights, k: int) -> Int64s:
    """[runs, topics, k]: which row of the weights stands at each rank, -1 where none does."""
    top = weights.runs.cut(k)
    entries, pairs = top.entries, weights.runs.pairs
    place = np.full((len(top.names), len(pairs.topics), k), -1, np.int64)
    row = np.searchsorted(weights.pair, top.pair)
    place[entries.run, pairs.topic[top.pair], entries.rank - 1] = row
    return place


def precision_sums(share: Floats, place: Int64s) -> tuple[Floats, Floats]:
    """[runs, topics]: the expected sum of precisions at relevant documents, and its slopes.

    Each document is relevant with its own chance, `share`; the slopes [runs, topics, k] are what
    the sum gains where the document of a rank becomes relevant for certain from being not so.

    >>> sums, slopes = precision_sums(np.array([1.0, 0.5]), np.array([[[0, 1]]]))
    >>> sums.tolist(), slopes.tolist()
    ([[1.5]], [[[1.25, 1.0]]])
    """
    rank = np.arange(1, place.shape[2] + 1)
    q = np.where(place >= 0, share[place], 0.0)
    above = np.cumsum(q, axis=2) - q
    weighted = q / rank
    below = weighted[:, :, ::-1].cumsum(axis=2)[:, :, ::-1] - weighted
    return (q * (1 + above) / rank).sum(axis=2), (1 + above) / rank + below


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
class ModelAssisted(Estimator):
    """Unbiased estimates from random samples: model predictions plus weighted errors of the sample.

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
    design= the name of the WeightedSample pool, and its seed, batches are gone through again and
    added up so that there can be none; differences and scores err up to a fifth more.

    nDCG@k is the mean over topics of such a sum over such an ideal, of what some run has in its
    first k; AP@k of such a sum of precisions over such a number of relevant documents, without
    an interval.

    anytime=true adds an interval that is valid at any number of judgments and at all looks
    together, from a WeightedSample pool with its pairs that were not drawn
    (docs/methods/anytime.md). It is given without being asked for where no other interval is.

    Judgments must come from a pool that was drawn: WeightedSample, UniformSample, Stratified,
    TwoStrata.

    Model-assisted estimation: Saerndal, Swensson and Wretman, 1992; here see docs/methods/few.md.
    """

    shrink: bool = False
    seed: int = 0
    design: str = ""
    anytime: bool = False

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """The expected gains, with the mean scores corrected by what was drawn."""
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
        anytime = self._anytime(evidence, weights) if self.anytime or mean.withheld else None
        return EstimatedGains(
            evidence, filled.gain, filled.tail, of_mean=mean, doubts=doubts, anytime=anytime
        )

    def _anytime(self, evidence: TrainingData, weights: PairWeights) -> AnytimeScores | None:
        """Return the anytime-valid intervals; None where they cannot be had and need not be."""
        record = None if evidence.pool is None else evidence.pool.record
        if record is not None:
            return anytime_scores(weights, evidence.weighted, evidence.judgments, record)
        if self.anytime:
            raise ValueError(
                "anytime=true needs a pool drawn in batches, with the pairs that were not drawn: "
                "write it with `leadline pool --strategy 'WeightedSample(...)' --undrawn`"
            )
        return None

    def _by_batches(
        self, evidence: TrainingData, weights: PairWeights, sample: DrawnPairs
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
        return self.shrink or bool(self.design) or self.anytime

    def _precision(self, evidence: TrainingData, relevant: Weighted) -> EstimatedRatios:
        """AP@k without errors: those of one step, as nDCG has them, were seen to be too small."""
        assert relevant.depth is not None
        of_sums = evidence.but(measure=relevant)
        weights = PairWeights.of(evidence.runs, relevant)
        sample = drawn_pairs(of_sums, weights, self.seed)
        found = AssistedAP.of(weights, sample, relevant.depth)
        doubts = out_of_reach(of_sums, weights, sample)
        mean = found.of_mean.withhold(AP_DOUBT)
        return EstimatedRatios(evidence, found.value, mean, (*doubts, AP_DOUBT))

    def drawn(self, evidence: TrainingData) -> EstimatedRatios:
        """nDCG@k and AP@k: sums over ideals, both corrected by what was drawn."""
        measure, weighted = evidence.measure, evidence.measure.numerator
        if measure.averaged is not None and not self._departs:
            return self._precision(evidence, measure.averaged)
        if weighted is None or weighted.depth is None or self._departs:
            raise ValueError(
                f"{self} cannot estimate {measure}: ModelAssisted estimates RBP, P@k, DCG@k, "
                f"SDCG@k, "
                "nDCG@k and AP@k (with @k, and without shrink=true, design= or anytime=true)"
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


def drawn_pairs(evidence: TrainingData, weights: PairWeights, seed: int) -> DrawnPairs:
    """The sample behind the judgments; a ValueError if they were not sampled at random."""
    judgments = evidence.judgments
    if judgments.inclusion is None:
        raise ValueError(
            "ModelAssisted needs judgments that were sampled at random, each with its inclusion "
            "probability: make a pool with `leadline pool --strategy 'WeightedSample(n=400, "
            "...)'` (or "
            "UniformSample, Stratified, TwoStrata), judge it, and name its file with --pool"
        )
    pair = weights.pair
    inclusion = judgments.inclusion[pair]
    drawn = judgments.judged[pair] & (inclusion > 0)
    everyone = evidence.contributing is None or np.all(evidence.contributing)
    return DrawnPairs(
        weights.feature if everyone else weights.feature_by(evidence.pooled_runs),
        weights.topic,
        len(evidence.runs.pairs.topics),
        drawn,
        np.where(inclusion > 0, inclusion, 1.0),
        judgments.grade[pair].astype(np.int64),
        weights.folds(seed),
        evidence.gain_table,
    )


def out_of_reach(
    evidence: TrainingData, weights: PairWeights, sample: DrawnPairs
) -> tuple[str, ...]:
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


def assisted_by_topic(evidence: TrainingData, seed: int = 0) -> tuple[Floats, MeanEstimate]:
    """[runs, topics]: scores without bias of every topic by itself, and their means.

    S_rt = sum over pairs of topic t of W_rp (f_p + (h_p - f_p) / pi_p if p was drawn). A single one
    is far off, and may lie where no score can: what they are for is that their mean over topics is
    ModelAssisted's, and that topics err independently, so that a test over topics takes the chance
    of the draw for more spread between topics.
    """
    weights = PairWeights.of(evidence.runs, evidence.weighted)
    sample = drawn_pairs(evidence, weights, seed)
    told = sample.expected + sample.error(sample.expected, sample.drawn)
    n_topics = len(evidence.runs.pairs.topics)
    ends = np.searchsorted(weights.topic, np.arange(n_topics + 1))
    by_topic = np.zeros((len(evidence.runs.names), n_topics))
    columns = weights.matrix.tocsc()
    for topic, (first, last) in enumerate(pairwise(ends.tolist())):
        by_topic[:, topic] = n_topics * (columns[:, first:last] @ told[first:last])
    return by_topic, drop_unreliable_interval(assisted(weights, sample), sample)
