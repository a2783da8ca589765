"""Expected reciprocal rank, reciprocal rank, and success."""

from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.lists import Block
from leadline.measures.measure import Gains, Interval, Measure, gain_table, measures, scale


@measures.register
@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank at which a reader stops who is satisfied with probability gain.

    Formula: ERR = sum_r (1/r) * gain_r * product_{i<r} (1 - gain_i), gain = (2^g - 1) / 2^max

    It never falls when a gain rises (what the document takes from later ranks is worth less than
    1/r), so the interval runs from no relevant unjudged documents to all of the best grade. max is
    the best grade in the judgments unless max_grade says otherwise. Ranks beyond the list's end
    are closed. A topic without relevant documents scores 0.

    >>> ERR().sketch("1 ? 1")
    '0.5833 [0.5833, 0.6667]'

    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009.
    """

    k: int | None = None
    rel: int = 1
    gains: Gains = "exp2_scaled"
    max_grade: int | None = None
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The cascade with all unjudged documents non-relevant, and with all of the best grade."""
        gain = gain_table(self.gains, self.rel, scale(self.max_grade, max_grade, self.rel))
        if gain.max() > 1:
            raise ValueError(
                f"ERR's gains are probabilities, but {self.gains} reaches {gain.max()}"
            )
        known = gain[block.grade]
        value = _cascade(known, block.rank)
        upper = _cascade(np.where(block.unjudged, gain.max(), known), block.rank)
        return value, value, upper


def _cascade(gain: Floats, rank: Int64s) -> Floats:
    reached = np.ones_like(gain)
    reached[:, 1:] = np.cumprod(1 - gain[:, :-1], axis=1)
    total: Floats = (gain * reached / rank).cumsum(axis=1)[:, -1]
    return total


@measures.register
@dataclass(frozen=True)
class RR(Measure):
    """Reciprocal of the rank of the first relevant document; 0 if there is none in the first k.

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
