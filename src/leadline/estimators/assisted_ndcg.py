"""nDCG from judgments drawn by chance: every topic's sum and ideal, put right by what was drawn."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.estimators.cross_fit import DrawnPairs
from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.sampled_mean import mean_of_draws
from leadline.measures.dcg import discounts
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.mean_estimate import MeanEstimate


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
        """By the model, put right by a share of what the `error` of drawn pairs says it lacks."""
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
