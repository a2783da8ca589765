"""Totals over a pool from a sample of it, each judged document counting for all it stands for."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.gains import gain_table
from leadline.measures.measure import Measure, measures
from leadline.measures.sampled_measure import Estimate, SampledMeasure, sums_by
from leadline.measures.weighted import Weighted
from leadline.tables.lists import Block
from leadline.tables.sampling import Sampling
from leadline.tables.scores import OverTopics


@measures.register
@dataclass(frozen=True)
class HT(SampledMeasure):
    """A weighted measure or a count, estimated without bias from inclusion probabilities.

    Formula: HT(of=M) = sum over judged ranks i of weight_i * gain_i / pi_i

    pi is a document's inclusion probability. M is any weighted measure (P@10, RBP(p=0.8), DCG@20,
    SDCG@100), NumRelRet, or NumRel, whose sum is over all judged documents of the topic. Documents
    that were not drawn count for nothing: those drawn stand for them. The tail beyond a list's end
    counts nothing. Over all draws the mean is the score with all of the pool judged; a single one
    may lie above 1. A topic without relevant documents scores 0. Counts are added up over topics.

    >>> HT(of="P@4").sketch("1 0 1 1")
    '0.7500'

    Horvitz and Thompson, A generalization of sampling without replacement from a finite universe,
    JASA 1952.
    """

    at = None
    of: str

    def __post_init__(self) -> None:
        of = measures.parse(self.of)
        if not (isinstance(of, Weighted) or of.counts) or of.judged_only:
            raise ValueError(
                f"{of} is no sum over documents: HT takes weighted measures such as P@10, "
                "RBP(p=0.8) and DCG@20, NumRel and NumRelRet"
            )
        object.__setattr__(self, "of", str(of))

    @property
    def measure(self) -> Measure:
        """What is estimated."""
        return measures.parse(self.of)

    @property
    def totals(self) -> OverTopics:
        """As the measure: counts are added up over topics."""
        return self.measure.over_topics

    @property
    def depth(self) -> int | None:
        """The last rank that counts."""
        return self.measure.depth

    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """The sum of weight * gain / inclusion, and that of its square * (1 - inclusion)."""
        assert block.entry is not None
        of = self.measure
        rel: int = getattr(of, "rel", 1)
        if of.counts == "topic":
            total = sampling.ht_total[block.topic, rel:].sum(axis=1)
            return total, sampling.ht_variance[block.topic, rel:].sum(axis=1)
        n = block.judged.shape[1]
        if isinstance(of, Weighted):
            gain, weights = of.gain(sampling.max_grade), of.weights(n)
        else:
            gain, weights = gain_table("binary", rel, sampling.max_grade), np.ones(n)
        row, column = np.nonzero(block.grade)
        share = sampling.probability[block.entry[row, column]]
        amount = gain[block.grade[row, column]] * weights[column] / share
        n_lists = len(block.row)
        return sums_by(row, amount, n_lists), sums_by(row, (1 - share) * amount**2, n_lists)
