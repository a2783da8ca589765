"""Measures of what a run returns as a set, whatever the order: F and precision times recall."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.lists import Block


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
    """What a set is worth to a reader who gains by relevant documents and loses by others.

    Formula: Utility = a * (relevant returned) + b * (other documents returned)

    As trec_eval's utility, a is 1 and b is -1. An unjudged document may be worth either. A run that
    returns nothing scores 0.

    >>> Utility().sketch("1 ? 0")
    '-1.0000 [-1.0000, 1.0000]'
    """

    at = None
    a: float = 1.0
    b: float = -1.0
    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not max(abs(self.a), abs(self.b)) < 1e6:
            raise ValueError("a and b must be less than a million either way")

    def interval(self, block: Block, max_grade: int) -> Interval:
        """From the unjudged documents worth the less to worth the more of both."""
        found, open_ = block.n_found(self.rel), block.n_unjudged
        others = block.length - found - open_
        known = self.a * found + self.b * others
        low, high = sorted((self.a, self.b))
        return known + self.b * open_, known + low * open_, known + high * open_
