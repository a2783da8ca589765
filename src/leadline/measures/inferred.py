"""Measures estimated from a sample of the pool, each with a standard error."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int64s
from leadline.data.lists import Block, Lists
from leadline.data.sampling import Sampling, Strata
from leadline.data.scores import OverTopics, Scores
from leadline.measures.dcg import discounts
from leadline.measures.measure import (
    Gains,
    Interval,
    Measure,
    Weighted,
    gain_table,
    measures,
    row_sums,
    scale,
)

Estimate = tuple[Floats, Floats]
"""Value and variance: one number a list."""


class SampledMeasure(Measure):
    """What the measure would be had all of the pool been judged; documents outside count nothing.

    The variance is that of drawing the sample again, by the jackknife: sum over the judged
    documents of (1 - inclusion) * d^2, where d is what the estimate would lose without the
    document; all of it where it would not be defined. Draws are taken to be independent of each
    other, or to be of a fixed number from each stratum where the estimate counts by stratum.
    """

    needs = "sampling"
    bounded = False

    @abstractmethod
    def estimate(self, block: Block, sampling: Sampling) -> Estimate:
        """Value and variance of each list in the block."""

    @property
    def totals(self) -> OverTopics:
        """What the row `all` has of it."""
        return self.over_topics

    def doubt(self, sampling: Sampling) -> str | None:
        """Why the estimate should not be trusted on documents drawn like this, if so."""
        return None

    def interval(self, block: Block, max_grade: int) -> Interval:
        """An estimate has no interval that is certain."""
        raise TypeError(f"{self} is estimated from a sample: call score")

    def score(self, lists: Lists) -> Scores:
        """The estimate for every run on every topic, with its standard error."""
        lists = lists.sampled()
        sampling = lists.sampling
        assert sampling is not None
        value, variance, judged = (np.full(lists.start.size, np.nan) for _ in range(3))
        for block in lists.blocks(self.depth):
            judged[block.row] = self.share_judged(block)
            value[block.row], variance[block.row] = self.estimate(block, sampling)
        # A variance of nothing may come out a little below 0.
        error = np.sqrt(np.maximum(variance, 0.0))
        return Scores.of_lists(
            lists,
            str(self),
            value,
            judged,
            obtained="estimated",
            error=error,
            over_topics=self.totals,
        )


def ratio(above: Floats, below: Floats) -> Floats:
    """One over the other, 0 where nothing is left below but what rounding leaves."""
    above, below = np.broadcast_arrays(above, below)
    share: Floats = np.divide(above, below, out=np.zeros(above.shape), where=below > 1e-9)
    return share


def sums_by(row: Int64s, amount: Floats, n: int) -> Floats:
    """The sum of the amounts of each row, from left to right."""
    sums = np.bincount(row, weights=amount, minlength=n)
    # Of nothing, numpy makes whole numbers.
    return sums.astype(np.float64, copy=False)


@measures.register
@dataclass(frozen=True)
class HorvitzThompson(SampledMeasure):
    """A weighted measure or a count, estimated without bias from inclusion probabilities.

    Formula: HorvitzThompson(of=M) = sum over judged ranks i of weight_i * gain_i / pi_i

    pi is a document's inclusion probability. M is any weighted measure (P@10, RBP(p=0.8), DCG@20,
    SDCG@100), NumRelRet, or NumRel, whose sum is over all judged documents of the topic. Documents
    that were not drawn count for nothing: those drawn stand for them. The tail beyond a list's end
    counts nothing. Over all draws the mean is the score with all of the pool judged; a single one
    may lie above 1. A topic without relevant documents scores 0. Counts are added up over topics.
    A topic has no standard error where no relevant document was sampled at random; that of the mean
    includes such topics as 0, which keeps its square unbiased.

    >>> HorvitzThompson(of="P@4").sketch("1 0 1 1")
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
                f"{of} is no sum over documents: HorvitzThompson takes weighted measures such as "
                f"P@10, "
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
            variance = sampling.ht_variance[block.topic, rel:].sum(axis=1)
            return total, _unless_vanished(variance, sampling.by_chance[block.topic])
        n = block.judged.shape[1]
        if isinstance(of, Weighted):
            gain, weights = of.gain(sampling.max_grade), of.weights(n)
        else:
            gain, weights = gain_table("binary", rel, sampling.max_grade), np.ones(n)
        row, column = np.nonzero(block.grade)
        share = sampling.probability[block.entry[row, column]]
        amount = gain[block.grade[row, column]] * weights[column] / share
        n_lists = len(block.row)
        variance = sums_by(row, (1 - share) * amount**2, n_lists)
        by_chance = sampling.by_chance[block.topic] & (block.n_unjudged > 0)
        return sums_by(row, amount, n_lists), _unless_vanished(variance, by_chance)


def _unless_vanished(variance: Floats, by_chance: Bools) -> Floats:
    """Return variances with NaN for a 0 where another draw could have had another value.

    The estimated variance is 0 where no relevant document was sampled with a probability below 1.
    That is no sign that the value is exact.
    """
    return np.where((variance == 0) & by_chance, np.nan, variance)


@measures.register
@dataclass(frozen=True)
class statAP(SampledMeasure):
    """Average precision estimated from documents sampled with known probabilities.

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


EPSILON = 1e-5
"""The smoothing of trec_eval and sample_eval: a rank with nothing judged above it has a rate."""

SPARE = {"sample_eval": 3 * EPSILON, "trec_eval": 2 * EPSILON}
"""What is added to the judged documents above a rank as EPSILON is to the relevant ones."""


@measures.register
@dataclass(frozen=True)
class xinfAP(SampledMeasure):
    """Average precision estimated from a stratified sample of a pool.

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


@measures.register
@dataclass(frozen=True)
class infAP(SampledMeasure):
    """Average precision estimated from a random sample of a pool.

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


@measures.register
@dataclass(frozen=True)
class infNDCG(SampledMeasure):
    """nDCG estimated from a stratified sample of a pool.

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
