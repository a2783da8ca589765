"""Average precision estimated from documents that were drawn with known probabilities."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.measures.measure import measures
from leadline.measures.sampled_measure import Estimate, SampledMeasure, ratio, sums_by
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Block
from leadline.tables.sampling import Sampling


@measures.register
@dataclass(frozen=True)
class statAP(SampledMeasure):
    """Average precision estimated from documents drawn with known probabilities.

    Formula: statAP = (1/R) * sum over relevant ranks k of (1 + above_k) / (k * pi_k)

    pi is a document's inclusion probability, above_k the sum of 1/pi over the documents judged
    relevant above rank k, R that over all documents judged relevant.
    Documents that were not drawn count for nothing: those drawn stand for them. The one at rank k
    counts 1 in its own precision; own=estimated has 1/pi_k there, as the paper prints it. Undefined
    on a topic without relevant documents.

    >>> statAP().sketch("0 1 1")
    '0.5833'

    Aslam and Pavlu, A practical sampling strategy for efficient retrieval evaluation, Northeastern
    University 2007, as the Million Query track's statAP_MQ_eval computes it.
    """

    at = None
    rel: int = 1
    own: Literal["known", "estimated"] = "known"

    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """The sum of estimated precisions over the estimated number of relevant documents."""
        assert block.entry is not None
        n_lists = len(block.row)
        total = sampling.ht_total[block.topic, self.rel :].sum(axis=1)
        total[total == 0] = np.nan
        row, column = np.nonzero(block.relevant(self.rel))
        share = sampling.probability[block.entry[row, column]]
        weight = np.zeros(block.judged.shape)
        weight[row, column] = 1 / share
        above = (weight.cumsum(axis=1) - weight)[row, column]
        itself = 1.0 if self.own == "known" else 1 / share
        precision = (itself + above) / (column + 1)
        value = sums_by(row, precision / share, n_lists) / total

        # Each document counts in its own precision, in those below it, and in R.
        below = (weight / block.rank).cumsum(axis=1)
        below = (below[:, -1:] - below)[row, column]
        top = value * total
        lost = (precision + below) / share
        change = value[row] - ratio(top[row] - lost, total[row] - 1 / share)
        variance = sums_by(row, (1 - share) * change**2, n_lists)
        # A relevant document that is not listed counts in R only.
        missed = value[row] - ratio(top[row], total[row] - 1 / share)
        everywhere = self._missed(block.topic, value, sampling)
        return value, variance + everywhere - sums_by(row, (1 - share) * missed**2, n_lists)

    def _missed(self, topic: Int64s, value: Floats, sampling: Sampling) -> Floats:
        """The variance of each list if it held none of its topic's relevant documents."""
        total = sampling.ht_total[:, self.rel :].sum(axis=1)
        at = np.flatnonzero(sampling.judged & (sampling.grade >= self.rel))
        share, of = sampling.probability[at], sampling.topic[at]
        change = 1 - ratio(total[of], total[of] - 1 / share)
        squares = sums_by(of.astype(np.int64), (1 - share) * change**2, sampling.n_topics)
        return squares[topic] * value**2
