"""Counts, which are summed over topics: documents returned, relevant, both; shares judged."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.lists import Block
from leadline.tables.scores import OverTopics


@measures.register
@dataclass(frozen=True)
class NumQ(Measure):
    """Number of topics that count: 1 on each, so that the row `all` has their number.

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

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Those known, and those known or unjudged."""
        known = (block.n_judged - block.n_found(self.rel)).astype(np.float64)
        return known, known, known + block.n_unjudged


@measures.register
@dataclass(frozen=True)
class Judged(Measure):
    """Share of the documents in the first k ranks that were judged (of the whole list without @k).

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

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Unjudged over k."""
        share = block.n_unjudged / self.k
        return share, share, share
