"""Assisted estimates topic by topic, for tests that look at topics."""

from itertools import pairwise

import numpy as np

from leadline.estimators.assisted import assisted, drawn_pairs, drop_unreliable_interval
from leadline.estimators.evidence import Evidence
from leadline.estimators.pair_weights import PairWeights
from leadline.tables.arrays import Floats
from leadline.tables.mean_estimate import MeanEstimate


def assisted_by_topic(evidence: Evidence, seed: int = 0) -> tuple[Floats, MeanEstimate]:
    """[runs, topics]: scores without bias of every topic by itself, and their means.

    S_rt = sum over pairs of topic t of W_rp (f_p + (h_p - f_p) / pi_p if p was drawn). A single one
    is far off, and may lie where no score can: what they are for is that their mean over topics is
    Assisted's, and that topics err independently, so that a test over topics takes the chance of
    the draw for more spread between topics.
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
