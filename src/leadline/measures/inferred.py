"""Inferred average precision, for pools of which a random part was judged."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import measures
from leadline.measures.sampled_measure import Estimate, SampledMeasure
from leadline.measures.weighted import row_sums
from leadline.measures.xinf_ap import EPSILON, stratified_precision
from leadline.tables.lists import Block
from leadline.tables.sampling import Sampling


@measures.register
@dataclass(frozen=True)
class infAP(SampledMeasure):
    """Average precision estimated from a pool that was judged at random.

    Formula: infAP = (1/R) * sum over relevant ranks k of (1 + pooled * (r+e) / (r+n+2e)) / k

    r, n: relevant and non-relevant documents judged above rank k; pooled: those and the pooled but
    unjudged ones (grade -1 in the qrels). Documents outside the pool count as non-relevant. An
    estimate, so it has no interval, but a standard error. Undefined on a topic without relevant
    documents.

    >>> infAP().sketch("0 1 1")
    '0.5833'

    Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments,
    CIKM 2006.
    """

    at = None
    rel: int = 1

    def doubt(self, sampling: Sampling) -> str | None:
        """It takes all of the pool to be judged at one rate."""
        strata = sampling.strata
        rate = strata.n_judged.sum(axis=0) / np.maximum(strata.size.sum(axis=0), 1)
        if rate.max() <= 2 * rate.min():
            return None
        return (
            f"takes the pool to be judged at one rate, but strata were at {rate.min():.0%} to "
            f"{rate.max():.0%}: use xinfAP"
        )

    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """The expected precision at each relevant document, over R."""
        total = block.n_relevant(self.rel).astype(np.float64)
        total[total == 0] = np.nan
        known = block.relevant(self.rel)
        above = known.cumsum(axis=1) - known
        others = (block.judged & ~known).cumsum(axis=1)
        pooled = block.pooled.cumsum(axis=1) - known
        rate = (above + EPSILON) / (above + others + 2 * EPSILON)
        expected = (1 + pooled * rate) / block.rank
        value = row_sums(known, expected) / total
        strata = sampling.strata.merged()
        if (strata.rate[block.topic] == 1).all():
            return value, np.zeros(len(value)) * value
        return value, stratified_precision(block, strata, self.rel, 2 * EPSILON)[1]
