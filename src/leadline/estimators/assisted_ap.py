"""AP@k from judgments drawn by chance: sums of products and numbers of relevant documents."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.assisted_ndcg import TopicIdeals
from leadline.estimators.cross_fit import DrawnPairs
from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.sampled_mean import mean_of_draws
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.mean_estimate import MeanEstimate


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
        of what some run has in its first k are relevant, is put right as nDCG's ideals are.
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
