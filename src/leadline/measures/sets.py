"""Measures of what a run returns as a set, and counts summed over topics."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from leadline.data.lists import Block
from leadline.data.scores import OverTopics
from leadline.measures.measure import Interval, Measure, measures


@measures.register
@dataclass(frozen=True)
class SetF(Measure):
    """Weighted harmonic mean of precision and recall of all documents returned.

    Formula: SetF = (1 + beta^2) r / (beta^2 R + n), r relevant of n returned, R relevant known

    Relevant documents that nobody has seen may be many, so the lower end is 0. The upper end makes
    every unjudged document returned relevant. Undefined on a topic without relevant documents.

    >>> SetF().sketch("1 ? 0", elsewhere="1")
    '0.4000 [0.0000, 0.6667]'
    """

    at = None
    beta: float = 1.0
    rel: int = 1
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.beta < 1e6:
            raise ValueError(f"beta must be 0 or more, below a million, not {self.beta:g}")

    def interval(self, block: Block, max_grade: int) -> Interval:
        """By counts, with the unjudged documents non-relevant and relevant."""
        found, open_ = block.n_found(self.rel), block.n_unjudged
        total = block.n_relevant(self.rel)
        square, n = self.beta**2, np.maximum(block.length, 1)
        value = (1 + square) * found / (square * total + n)
        upper = (1 + square) * (found + open_) / (square * (total + open_) + n)
        value[total == 0] = np.nan
        return value, np.zeros(len(value)), upper


@measures.register
@dataclass(frozen=True)
class SetAP(Measure):
    """Precision times recall of all documents returned: AP of a set whose order is unknown.

    Formula: SetAP = r^2 / (n R), r relevant of n returned, R relevant known

    trec_eval's set_map. Lower and upper end are as for SetF. Undefined on a topic without relevant
    documents.

    >>> SetAP().sketch("1 ? 0", elsewhere="1")
    '0.1667 [0.0000, 0.4444]'
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """By counts, with the unjudged documents non-relevant and relevant."""
        found, open_ = block.n_found(self.rel), block.n_unjudged
        total = block.n_relevant(self.rel)
        n = np.maximum(block.length, 1)
        value = found**2 / (n * np.maximum(total, 1))
        upper = (found + open_) ** 2 / (n * np.maximum(total + open_, 1))
        value[total == 0] = np.nan
        return value, np.zeros(len(value)), upper


@measures.register
@dataclass(frozen=True)
class Utility(Measure):
    """Linear utility of a set: credits for relevant documents, debits for others.

    Formula: Utility = a r + b (n - r) + c (R - r) + d (docs - R - n + r), r relevant of n returned

    As trec_eval's utility, a is 1, b is -1, c and d are 0. c and d need `docs`, the number of
    documents in the collection, which is trec_eval's -N. An unjudged document may be relevant or
    not; the value counts it as not. A run that returns nothing scores 0 if c and d are 0.

    >>> Utility().sketch("1 ? 0")
    '-1.0000 [-1.0000, 1.0000]'
    >>> Utility(c=-2, d=1, docs=10).sketch("1 ? 0", elsewhere="1")
    '3.0000 [-15.0000, 5.0000]'
    """

    at = None
    a: float = 1.0
    b: float = -1.0
    c: float = 0.0
    d: float = 0.0
    docs: int | None = None
    rel: int = 1
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not max(map(abs, (self.a, self.b, self.c, self.d))) < 1e6:
            raise ValueError("a, b, c and d must be less than a million either way")
        if self.docs is None and (self.c or self.d):
            raise ValueError("c and d need docs, the number of documents in the collection")
        if self.docs is not None and not 1 <= self.docs < 1e15:
            raise ValueError(f"docs must be a number of documents, not {self.docs}")

    def interval(self, block: Block, max_grade: int) -> Interval:
        """From the unjudged documents worth the less to worth the more of both."""
        found, open_ = block.n_found(self.rel), block.n_unjudged
        others = block.length - found - open_
        known = self.a * found + self.b * others
        low, high = sorted((self.a, self.b))
        ends = known + self.b * open_, known + low * open_, known + high * open_
        if self.docs is None:
            return ends
        missed = block.n_relevant(self.rel) - found
        left_out = block.counts.sum(axis=1) - block.n_relevant(self.rel) - others
        unseen = np.maximum(self.docs - block.length - missed - left_out, 0)
        known = self.c * missed + self.d * left_out
        low, high = sorted((self.c, self.d))
        value, lower, upper = ends
        return (
            value + known + self.d * unseen,
            lower + known + low * unseen,
            upper + known + high * unseen,
        )


@measures.register
@dataclass(frozen=True)
class NumQ(Measure):
    """Number of topics: 1 on each topic, and their number in the row `all`.

    Formula: NumQ = 1

    >>> NumQ().sketch("1 ? 0")
    '1.0000 [1.0000, 1.0000]'
    """

    at = None
    over_topics: ClassVar[OverTopics] = "sum"

    def interval(self, block: Block, max_grade: int) -> Interval:
        """One a list."""
        one = np.ones(len(block.length))
        return one, one, one


@measures.register
@dataclass(frozen=True)
class NumRet(Measure):
    """Number of documents returned (of the first k, with @k).

    Formula: NumRet = documents in the list

    >>> NumRet().sketch("1 ? 0")
    '3.0000 [3.0000, 3.0000]'
    """

    over_topics: ClassVar[OverTopics] = "sum"
    k: int | None = None
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The list's length; no judgment changes it."""
        n = block.length.astype(np.float64)
        return n, n, n


@measures.register
@dataclass(frozen=True)
class NumRel(Measure):
    """Number of documents judged relevant for the topic, returned or not.

    Formula: NumRel = R

    There may be more that nobody has seen, as many as you like, so it has no interval.

    >>> NumRel().sketch("1 ? 0", elsewhere="1")
    '2.0000'
    """

    at = None
    bounded = False
    counts = "topic"
    over_topics: ClassVar[OverTopics] = "sum"
    rel: int = 1

    def interval(self, block: Block, max_grade: int) -> Interval:
        """R of the list's topic."""
        n = block.n_relevant(self.rel).astype(np.float64)
        return n, n, n


@measures.register
@dataclass(frozen=True)
class NumRelRet(Measure):
    """Number of relevant documents returned (in the first k, with @k).

    Formula: NumRelRet = relevant documents in the list

    Every unjudged document in the list may be one more.

    >>> NumRelRet().sketch("1 ? 0", elsewhere="1")
    '1.0000 [1.0000, 2.0000]'
    """

    counts = "list"
    over_topics: ClassVar[OverTopics] = "sum"
    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Those known, and those known or unjudged."""
        known = block.n_found(self.rel).astype(np.float64)
        return known, known, known + block.n_unjudged


@measures.register
@dataclass(frozen=True)
class NumNonrelRet(Measure):
    """Number of documents returned that were judged non-relevant (in the first k, with @k).

    Formula: NumNonrelRet = documents in the list judged below rel

    Every unjudged document in the list may be one more.

    >>> NumNonrelRet().sketch("1 ? 0")
    '1.0000 [1.0000, 2.0000]'
    """

    over_topics: ClassVar[OverTopics] = "sum"
    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Those known, and those known or unjudged."""
        known = (block.n_judged - block.n_found(self.rel)).astype(np.float64)
        return known, known, known + block.n_unjudged


@measures.register
@dataclass(frozen=True)
class Judged(Measure):
    """Share of judged documents among the first k (in the whole list without @k).

    Formula: Judged@k = judged among the first k / documents among the first k

    It tells of the judgments, not of the run, so it has no interval. Undefined for an empty list.

    >>> Judged(k=2).sketch("1 ? 0")
    '0.5000'
    """

    bounded = False
    k: int | None = None

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Judged over listed."""
        n = block.length.astype(np.float64)
        n[n == 0] = np.nan
        share = block.n_judged / n
        return share, share, share


@measures.register
@dataclass(frozen=True)
class Unjudged(Measure):
    """Share of the first k ranks whose documents were not judged; 0 past the end of a short list.

    Formula: Unjudged@k = unjudged among the first k / k

    It tells of the judgments, not of the run, so it has no interval. trec_eval's unj; the holes of
    other tools are documents that were judged on no topic at all.

    >>> Unjudged(k=4).sketch("1 ? 0")
    '0.2500'
    """

    bounded = False
    k: int
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Unjudged over k."""
        share = block.n_unjudged / self.k
        return share, share, share
