"""Expected reciprocal rank."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.gains import Gains, gain_table, scale
from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Block


@measures.register
@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank at which a reader stops who is satisfied with probability gain.

    Formula: ERR = sum_r (1/r) * gain_r * product_{i<r} (1 - gain_i), gain = (2^g - 1) / 2^max

    It never falls when a gain rises (what the document takes from later ranks is worth less than
    1/r), so the interval runs from all unjudged documents worthless to all of the best grade. max
    is the best grade in the judgments unless max_grade says otherwise. Ranks beyond the list's end
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
        """The cascade with all unjudged documents worthless, and with all of the best grade."""
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
