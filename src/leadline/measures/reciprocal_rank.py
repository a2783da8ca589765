"""Reciprocal rank and success: where the first relevant document stands."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.arrays import Bools, Floats
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class RR(Measure):
    """One over the rank of the first relevant document, 0 if there is none in the first k.

    Formula: RR = 1 / (rank of the first relevant document)

    Making any document relevant never lowers it, so the interval runs from all unjudged documents
    non-relevant to all relevant. A topic without relevant documents scores 0.

    >>> RR().sketch("0 ? 1")
    '0.3333 [0.3333, 0.5000]'
    """

    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """From the first document known to be relevant to the first that may be."""
        known = block.relevant(self.rel)
        value = _first(known)
        return value, value, _first(known | block.unjudged)


@measures.register
@dataclass(frozen=True)
class Success(Measure):
    """1 if the first k ranks hold a relevant document, else 0.

    Formula: Success@k = 1 if any of the first k is relevant

    Never falls when a document becomes relevant, so the interval is exact. A topic without
    relevant documents scores 0.

    >>> Success(k=2).sketch("0 ? 1")
    '0.0000 [0.0000, 1.0000]'
    """

    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Whether one is known to be relevant, and whether one may be."""
        known = block.relevant(self.rel)
        value = (_first(known) > 0).astype(np.float64)
        return value, value, (_first(known | block.unjudged) > 0).astype(np.float64)


def _first(mask: Bools) -> Floats:
    return np.where(mask.any(axis=1), 1 / (mask.argmax(axis=1) + 1), 0.0)
