"""Inferred nDCG over strata that were judged at rates of their own."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.dcg import discounts
from leadline.measures.gains import Gains, gain_table, scale
from leadline.measures.measure import measures
from leadline.measures.sampled_measure import Estimate, SampledMeasure, ratio, sums_by
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Block
from leadline.tables.sampling import Sampling


@measures.register
@dataclass(frozen=True)
class infNDCG(SampledMeasure):
    """nDCG estimated from strata of the pool, each judged at its own rate.

    Formula: infNDCG@k = (sum over judged ranks i<=k of M/m * gain_i / log2(i + 1)) / IDCG@k

    Of the stratum of the document at rank i, M documents are listed to rank k, m of them judged.
    The ideal is that of N/n documents for each one judged (N in its stratum, n of them judged), the
    number of each grade rounded. Documents outside the pool count nothing, and so does a stratum of
    which nothing listed was judged. Undefined where no document of some gain was judged.

    >>> infNDCG(k=2).sketch("1 0 1", elsewhere="1")
    '0.6131'

    Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG,
    SIGIR 2008, as NIST's sample_eval computes it.
    """

    k: int | None = None
    rel: int = 1
    gains: Gains = "grade"
    max_grade: int | None = None

    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """The expected DCG over the ideal of the expected numbers."""
        assert block.entry is not None
        strata = sampling.strata
        top = scale(self.max_grade, sampling.max_grade, self.rel)
        gain = gain_table(self.gains, self.rel, top)[: sampling.max_grade + 1]
        n_lists, n_strata, n_grades = len(block.row), strata.size.shape[1], len(gain)
        n_cells = n_lists * n_strata
        size, n_judged = strata.size[block.topic], strata.n_judged[block.topic]
        counts = strata.counts[block.topic]
        weight = np.divide(size, n_judged, out=np.zeros(size.shape), where=n_judged > 0)

        # In sample_eval's order, because halves are rounded up.
        expected = (counts * size[:, :, None] / np.maximum(n_judged, 1)[:, :, None]).sum(axis=1)
        ideal = self._ideal(expected, np.diff(gain))
        ideal[ideal == 0] = np.nan

        of_cell = strata.of_row[block.entry]
        row, column = np.nonzero(of_cell >= 0)
        listed = np.bincount(row * n_strata + of_cell[row, column], minlength=n_cells)
        row, column = np.nonzero(block.judged & (of_cell >= 0))
        grade, stratum = block.grade[row, column], of_cell[row, column].astype(np.int64)
        cell = row * n_strata + stratum
        seen = np.bincount(cell, minlength=n_cells)
        factor = np.divide(listed, seen, out=np.zeros(n_cells), where=seen > 0)
        worth = gain[grade] * discounts(block.judged.shape[1])[column]
        found = sums_by(cell, worth, n_cells)
        value = (factor * found).reshape(n_lists, n_strata).sum(axis=1) / ideal

        open_ = 1 - strata.rate[block.topic]
        if not open_.any():
            return value, np.zeros(n_lists) * value
        without = self._ideals_without(weight, counts, n_judged, np.diff(gain))
        # Without the only one of its stratum that is judged, nothing of the stratum would count.
        rest = np.divide(found[cell] - worth, seen[cell] - 1, where=seen[cell] > 1, out=worth * 0)
        lost = factor[cell] * found[cell] - listed[cell] * rest
        dcg = value * ideal
        change = value[row] - ratio(dcg[row] - lost, without[row, stratum, grade])
        unlisted = counts - np.bincount(
            cell * n_grades + grade, minlength=n_cells * n_grades
        ).reshape(counts.shape)
        missed = value[:, None, None] - ratio(dcg[:, None, None], without)
        variance = (open_ * (unlisted * missed**2).sum(axis=2)).sum(axis=1)
        return value, variance + sums_by(row, open_[row, stratum] * change**2, n_lists)

    def _ideals_without(
        self, weight: Floats, counts: Int64s, n_judged: Int64s, step: Floats
    ) -> Floats:
        """[list, stratum, grade]: the ideal if a judged document of that kind were not."""
        n_grades = counts.shape[2]
        expected = (weight[:, :, None] * counts).sum(axis=1)
        # Each of the others then stands for more of the stratum.
        more = weight * n_judged / np.maximum(n_judged - 1, 1)
        others = expected[:, None, :] - weight[:, :, None] * counts + more[:, :, None] * counts
        gone = others[:, :, None, :] - more[:, :, None, None] * np.eye(n_grades)
        return self._ideal(np.maximum(gone, 0.0).reshape(-1, n_grades), step).reshape(counts.shape)

    def _ideal(self, expected: Floats, step: Floats) -> Floats:
        """The ideal DCG of expected[list, grade] documents, their numbers rounded."""
        # Half up, as sample_eval rounds; numpy would round to even numbers.
        whole = np.floor(expected + 0.5).astype(np.int64)
        reached = whole[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
        deepest = int(reached.max(initial=0)) if self.k is None else self.k
        sums = np.concatenate([[0.0], np.cumsum(discounts(max(deepest, 1)))])
        ideal: Floats = sums[np.minimum(reached, deepest)] @ step
        return ideal
