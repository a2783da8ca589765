"""Measures of readers whose patience depends on what they have found, and two others of lists.

C/W/L: from rank i a reader continues with probability C_i. Here C_i depends on the gains so far, so
an unjudged document changes all weights after it: these measures have no bounds.
"""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.lists import Block
from leadline.measures.measure import Gains, Interval, Measure, gain_table, measures, scale
from leadline.measures.rbp import check_t, squares_from


class Adaptive(Measure):
    """score = sum of P_i g_i / sum of P_i over ranks, P_i = C_1 ... C_(i-1).

    Ranks beyond the end of a list have gain 0. An unjudged document has gain 0 too.
    """

    bounded = False
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None

    @abstractmethod
    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        """C_i of each list and rank."""

    @abstractmethod
    def rest(self, length: Int64s, found: Floats) -> Floats:
        """Sum of P_i over the ranks beyond a list's end, as a multiple of the first of them."""

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The score with unjudged documents non-relevant, without bounds."""
        table = gain_table(self.gains, self.rel, scale(self.max_grade, max_grade, self.rel))
        gain = np.where(block.judged, table[np.maximum(block.grade, 0)], 0.0)
        reached = np.ones((len(gain), gain.shape[1] + 1))
        np.cumprod(self.continues(block.rank, gain), axis=1, out=reached[:, 1:])
        beyond = reached[np.arange(len(gain)), block.length]
        inside = np.where(block.listed, reached[:, :-1], 0.0)
        rest = np.where(beyond > 0, beyond, 0.0) * self.rest(block.length, gain.sum(axis=1))
        # From left to right, so that padding does not change the last digit.
        earned = (inside * gain).cumsum(axis=1)[:, -1] if gain.shape[1] else np.zeros(len(gain))
        read = inside.cumsum(axis=1)[:, -1] if gain.shape[1] else np.zeros(len(gain))
        value = earned / (read + rest)
        return value, value, value


class Targeted(Adaptive):
    """With t, the gain that the reader wants."""

    t: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_t(self.t)


@measures.register
@dataclass(frozen=True)
class INST(Targeted):
    """Rate of gain of a reader who wants a total gain of t and becomes less patient with each gain.

    Formula: C_i = ((i - 1 + t + t_i) / (i + t + t_i))^2, t_i = t - (g_1 + ... + g_i)

    Unjudged documents count as non-relevant, and there are no bounds. Ranks beyond the end of a
    list have gain 0, without end; cwl_eval stops at rank 1,000. A topic without relevant documents
    scores 0.

    >>> INST(t=1).sketch("1 0 1")
    '0.7231'

    Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric, ADCS 2015.
    """

    at = None
    t: float
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None
    judged_only: bool = False

    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        wanted = rank + 2 * self.t - np.cumsum(gain, axis=1)
        odds: Floats = ((wanted - 1) / wanted) ** 2
        return odds

    def rest(self, length: Int64s, found: Floats) -> Floats:
        wanted = length + 2 * self.t - found
        left: Floats = wanted**2 * squares_from(wanted)
        return left


@measures.register
@dataclass(frozen=True)
class BPM(Adaptive):
    """Mean gain per document of a reader who stops at a total gain of t, or at rank k.

    Formula: BPM = (g_1 + ... + g_s) / s, s the first rank with g_1 + ... + g_s >= t, else k

    The static form, where neither t nor k changes on the way. Unjudged documents count as
    non-relevant, and there are no bounds. A topic without relevant documents scores 0.

    >>> BPM(t=2, k=10).sketch("1 0 1 1")
    '0.6667'

    Zhang et al., Evaluating web search with a bejeweled player model, SIGIR 2017.
    """

    t: float
    k: int
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.t < float("inf"):
            raise ValueError(f"t, the gain wanted, must be above 0, not {self.t}")

    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        more: Floats = ((np.cumsum(gain, axis=1) < self.t) & (rank < self.k)).astype(np.float64)
        return more

    def rest(self, length: Int64s, found: Floats) -> Floats:
        return np.maximum(self.k - length, 0).astype(np.float64)


@measures.register
@dataclass(frozen=True)
class NERR8(Adaptive):
    """ERR as a C/W/L measure, equation 8: the reader stops by gain, or at rank k.

    Formula: C_i = 1 - g_i for i < k

    Unjudged documents count as non-relevant, and there are no bounds.

    >>> NERR8(k=10).sketch("0 0 1 1")
    '0.3333'

    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    k: int
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None
    judged_only: bool = False

    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        return np.where(rank < self.k, 1 - gain, 0.0)

    def rest(self, length: Int64s, found: Floats) -> Floats:
        return np.maximum(self.k - length, 0).astype(np.float64)


@measures.register
@dataclass(frozen=True)
class NERR9(Adaptive):
    """ERR as a C/W/L measure, equation 9: by gain and by reciprocal rank, to rank k.

    Formula: C_i = (1 - g_i) i / (i + 1) for i < k

    Unjudged documents count as non-relevant, and there are no bounds.

    >>> NERR9(k=10).sketch("0 0 1 1")
    '0.1818'

    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    k: int
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None
    judged_only: bool = False

    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        return np.where(rank < self.k, (1 - gain) * rank / (rank + 1), 0.0)

    def rest(self, length: Int64s, found: Floats) -> Floats:
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, self.k + 1))])
        short = np.minimum(length, self.k)
        left: Floats = (short + 1) * (harmonic[self.k] - harmonic[short])
        return left


@measures.register
@dataclass(frozen=True)
class NERR10(Adaptive):
    """ERR as a C/W/L measure, equation 10: by gain, with the patience p of RBP.

    Formula: C_i = p (1 - g_i)

    Unjudged documents count as non-relevant, and there are no bounds.

    >>> NERR10(p=0.8).sketch("0 0 1 1")
    '0.2623'

    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    at = None
    p: float
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ValueError(f"p must lie between 0 and 1, not {self.p}")

    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        return self.p * (1 - gain)

    def rest(self, length: Int64s, found: Floats) -> Floats:
        return np.full(len(length), 1 / (1 - self.p))


@measures.register
@dataclass(frozen=True)
class NERR11(Targeted):
    """ERR as a C/W/L measure, equation 11: by gain, with the patience of INSQ.

    Formula: C_i = (1 - g_i) ((i + 2t - 1) / (i + 2t))^2

    Unjudged documents count as non-relevant, and there are no bounds.

    >>> NERR11(t=2).sketch("0 0 1 1")
    '0.2132'

    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021.
    """

    at = None
    t: float
    rel: int = 1
    gains: Gains = "linear"
    max_grade: int | None = None
    judged_only: bool = False

    def continues(self, rank: Int64s, gain: Floats) -> Floats:
        odds: Floats = (1 - gain) * ((rank + 2 * self.t - 1) / (rank + 2 * self.t)) ** 2
        return odds

    def rest(self, length: Int64s, found: Floats) -> Floats:
        wanted = length.astype(np.float64) + 2 * self.t
        left: Floats = wanted**2 * squares_from(wanted)
        return left


@measures.register
@dataclass(frozen=True)
class Accuracy(Measure):
    """Share of pairs of a relevant and another listed document that are in this order.

    Formula: Accuracy = 1 - (other documents above each relevant one) / (others * relevant)

    As ir_measures has it. Unjudged documents count as non-relevant, and there are no bounds. Only
    listed documents count: undefined where no relevant or no other document is listed.

    >>> Accuracy().sketch("0 1 0 0")
    '0.6667'
    """

    bounded = False
    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Pairs in order over all pairs."""
        relevant = block.relevant(self.rel) & block.judged
        above = np.cumsum(block.listed & ~relevant, axis=1)
        found = relevant.sum(axis=1)
        others = block.length - found
        wrong = np.where(relevant, above, 0).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = 1 - wrong / (others * found)
        value[(found == 0) | (others == 0)] = np.nan
        return value, value, value


@measures.register
@dataclass(frozen=True)
class Compat(Measure):
    """Rank-biased overlap of a list with the closest ideal list.

    Formula: Compat = RBO(list, ideal) / RBO(ideal, ideal), RBO = sum_i p^(i-1) |overlap at i| / i

    The ideal has the relevant documents by grade, of equal ones those first that the run ranks
    higher, then those that it does not return; sums end with the longer of the two lists. With
    norm=false the overlap is divided by the sum of p^(i-1) instead. Unjudged documents count as
    non-relevant, and there are no bounds. Undefined on a topic without relevant documents.

    >>> Compat(p=0.9).sketch("0 1 2", elsewhere="1")
    '0.3653'

    Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 2021.
    """

    at = None
    bounded = False
    p: float = 0.95
    norm: bool = True
    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ValueError(f"p must lie between 0 and 1, not {self.p}")

    def interval(self, block: Block, max_grade: int) -> Interval:
        """From the later of each relevant document's ranks in the list and in the ideal."""
        n_ideal = block.n_relevant(self.rel)
        depth = np.maximum(block.length, n_ideal)
        weights = self.p ** np.arange(max(1, int(depth.max(initial=1))))
        # What a document adds that both lists hold from some rank on.
        from_rank = np.append(0.0, np.cumsum(weights / np.arange(1, len(weights) + 1)))
        place = self._ideal_rank(block)
        later = np.maximum(place, block.rank)
        adds = np.where(place > 0, from_rank[depth][:, None] - from_rank[later - 1], 0.0)
        overlap = adds.cumsum(axis=1)[:, -1] if adds.shape[1] else np.zeros(len(depth))
        if self.norm:
            # In the sum over i, the overlap of the ideal with itself is min(i, n) / i.
            total = np.append(0.0, np.cumsum(weights))
            best = total[n_ideal] + n_ideal * (from_rank[depth] - from_rank[n_ideal])
        else:
            best = np.append(0.0, np.cumsum(weights))[depth]
        value = np.divide(overlap, best, out=np.full(len(best), np.nan), where=n_ideal > 0)
        return value, value, value

    def _ideal_rank(self, block: Block) -> Int64s:
        """The rank of each cell's document in the ideal list; 0 where it is in none."""
        place = np.zeros(block.judged.shape, np.int64)
        better = np.zeros(len(block.length), np.int64)
        for grade in range(block.counts.shape[1] - 1, self.rel - 1, -1):
            here: Bools = block.judged & (block.grade == grade)
            place = np.where(here, better[:, None] + np.cumsum(here, axis=1), place)
            better = better + block.counts[:, grade]
        return place
