"""Inferred average precision over strata that were judged at rates of their own."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.measures.measure import measures
from leadline.measures.sampled_measure import Estimate, SampledMeasure, ratio, sums_by
from leadline.tables.arrays import Bools, Floats, Int16s, Int64s
from leadline.tables.lists import Block
from leadline.tables.sampling import Sampling, Strata

EPSILON = 1e-5
"""The smoothing of trec_eval and sample_eval: a rank with nothing judged above it has a rate."""

SPARE = {"sample_eval": 3 * EPSILON, "trec_eval": 2 * EPSILON}
"""What is added to the judged documents above a rank as EPSILON is to the relevant ones."""


@measures.register
@dataclass(frozen=True)
class xinfAP(SampledMeasure):
    """Average precision estimated from strata of the pool, each judged at its own rate.

    Formula: xinfAP = (1/R) * sum over relevant ranks k of (N/n) * (1 + sum_b M_b * rate_b) / k

    Of the N documents in the stratum of the one at rank k, n were judged; R is the sum of N/n over
    all documents judged relevant. Above rank k stand M_b documents of stratum b, s_b of them
    judged, r_b relevant: rate_b = (r_b + e) / (s_b + 3e), e = 0.00001. Documents outside the pool
    count as non-relevant, and so does a stratum of which nothing was judged. smoothing=trec_eval
    adds 2e instead of 3e, and is infAP where there is one stratum. Undefined on a topic without
    relevant documents.

    >>> xinfAP().sketch("0 1 1")
    '0.5833'

    Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG,
    SIGIR 2008, as NIST's sample_eval computes it.
    """

    k: int | None = None
    rel: int = 1
    smoothing: Literal["sample_eval", "trec_eval"] = "sample_eval"

    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """The expected precision at each relevant document, weighted by stratum, over R."""
        return stratified_precision(block, sampling.strata, self.rel, SPARE[self.smoothing])


def stratified_precision(block: Block, strata: Strata, rel: int, spare: float) -> Estimate:
    """xinfAP and its variance."""
    n_lists, n_strata = len(block.row), strata.size.shape[1]
    size, n_judged = strata.size[block.topic], strata.n_judged[block.topic]
    n_relevant = strata.counts[block.topic, :, rel:].sum(axis=2)
    weight = np.divide(size, n_judged, out=np.zeros(size.shape), where=n_judged > 0)
    total = (weight * n_relevant).sum(axis=1)
    total[total == 0] = np.nan

    above = _Above.of(block, strata, rel, spare)
    precision = (1 + above.expected.sum(axis=0)) / (above.column + 1)
    cell = above.row * n_strata + above.stratum
    found = sums_by(cell, precision, n_lists * n_strata).reshape(n_lists, n_strata)
    value = (weight * found).sum(axis=1) / total

    variance = np.zeros(n_lists) * value
    open_ = 1 - strata.rate[block.topic]
    dense = np.zeros(block.judged.shape)
    dense[above.row, above.column] = precision
    for stratum in np.flatnonzero(open_.any(axis=0)).tolist():
        # Without one of its judged documents, each of the others stands for more of the stratum.
        judged, relevant = n_judged[:, stratum], n_relevant[:, stratum]
        others = weight.copy()
        others[:, stratum] *= judged / np.maximum(judged - 1, 1)
        own, sums = others[:, stratum, None], (others * found).sum(axis=1)[:, None]
        totals = (others * n_relevant).sum(axis=1)[:, None]
        inside = above.judged & (above.of_cell == stratum)
        hit = inside & above.relevant
        lost = own * dense * hit + above.lost_below(stratum, others)
        change = value[:, None] - ratio(sums - lost, totals - own * hit)
        change **= 2
        miss, skip = ((value[:, None] - ratio(sums, each)) ** 2 for each in (totals - own, totals))
        n_hit = hit.sum(axis=1)
        n_other = inside.sum(axis=1) - n_hit
        squares = np.where(inside, change, 0.0).cumsum(axis=1)[:, -1]
        squares += (relevant - n_hit) * miss[:, 0]
        squares += (judged - relevant - n_other) * skip[:, 0]
        variance += open_[:, stratum] * squares
    return value, variance


@dataclass(frozen=True, eq=False)
class _Above:
    """What stands above each listed relevant document: row, column, stratum of each.

    `expected[b]` is how many of stratum b above it are expected to be relevant, `rate[b]` the share
    taken to be, `step[b]` what its precision loses for each unit that a document above, taken away,
    lies above that rate.
    """

    row: Int64s
    column: Int64s
    stratum: Int64s
    expected: Floats
    rate: Floats
    step: Floats
    judged: Bools
    relevant: Bools
    of_cell: Int16s

    @classmethod
    def of(cls, block: Block, strata: Strata, rel: int, spare: float) -> "_Above":
        assert block.entry is not None
        of_cell = strata.of_row[block.entry]
        judged = block.judged & (of_cell >= 0)
        relevant = block.relevant(rel) & judged
        row, column = np.nonzero(relevant)
        n_strata = strata.size.shape[1]
        expected, rate, step = (np.zeros((n_strata, len(row))) for _ in range(3))
        for stratum in range(n_strata):
            inside = of_cell == stratum
            listed, seen, hits = (
                (mask.cumsum(axis=1, dtype=np.int32) - mask)[row, column]
                for mask in (inside, inside & judged, inside & relevant)
            )
            rate[stratum] = (hits + EPSILON) / (seen + spare)
            expected[stratum] = listed * rate[stratum]
            # (r+e)/(s+c) - (r-x+e)/(s-1+c) = (x - (r+e)/(s+c)) / (s-1+c)
            left = np.maximum(seen - 1, 0) + spare
            step[stratum] = np.where(seen > 0, listed / left / (column + 1), 0.0)
        own = of_cell[row, column].astype(np.int64)
        return cls(row, column, own, expected, rate, step, judged, relevant, of_cell)

    def lost_below(self, stratum: int, weight: Floats) -> Floats:
        """What the weighted precisions below each cell lose if it was of that stratum and goes."""
        raised, lowered = (np.zeros(self.judged.shape) for _ in range(2))
        step = self.step[stratum] * weight[self.row, self.stratum]
        raised[self.row, self.column] = step
        lowered[self.row, self.column] = step * self.rate[stratum]
        raised, lowered = (
            each.cumsum(axis=1)[:, -1:] - each.cumsum(axis=1) for each in (raised, lowered)
        )
        lost: Floats = np.where(self.relevant, raised, 0.0) - lowered
        return lost
