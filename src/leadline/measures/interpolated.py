"""Interpolated precision at levels of recall, and its mean over evenly spaced levels."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.measures.measure import Interval, Measure, measures
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Block

Rounding = Literal["up", "nearest"]
ADDED: dict[Rounding, float] = {"up": 0.9, "nearest": 0.5}
"""What is added to a share of R before its fraction is cut off."""


@measures.register
@dataclass(frozen=True)
class IPrec(Measure):
    """The best precision at any rank by which a share of the relevant documents is found.

    Formula: IPrec(recall=c) = max over ranks i with found(i) >= floor(c R + 0.9) of found(i) / i

    So does trec_eval 9 round up; trec_eval 10 takes the nearest whole number, floor(c R + 0.5),
    which is `rounding=nearest`. Relevant documents that nobody
    has seen may be many, so the lower end is 0, but for recall=0, which asks for none of them. The
    upper end makes all unjudged documents down to the best rank relevant. Undefined on a topic
    without relevant documents; 0 if the list never finds so many.

    >>> IPrec(recall=0.5).sketch("0 1 ? 1", elsewhere="1")
    '0.5000 [0.0000, 0.7500]'
    """

    at = None
    recall: float
    rounding: Rounding = "up"
    rel: int = 1
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.recall <= 1:
            raise ValueError(f"recall must be between 0 and 1, not {self.recall:g}")

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The best known precision, and the best with all unjudged documents above relevant."""
        value, upper = _interpolated(block, self)
        return value, np.nan_to_num(value) if self.recall == 0 else np.zeros(len(value)), upper


@measures.register
@dataclass(frozen=True)
class InterpolatedAP(Measure):
    """Mean of interpolated precision over evenly spaced levels of recall, 11 unless told otherwise.

    Formula: InterpolatedAP = mean over c = 0, 0.1, ... 1 of IPrec(recall=c)

    trec_eval's 11pt_avg. The interval is the mean of those of IPrec: it is certain to hold, but no
    single completion need reach its upper end at all levels at once. Undefined on a topic without
    relevant documents.

    >>> InterpolatedAP(points=3).sketch("? 1")
    '0.5000 [0.1667, 1.0000]'
    """

    at = None
    points: int = 11
    rounding: Rounding = "up"
    rel: int = 1
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.points <= 1001:
            raise ValueError(f"points must be between 2 and 1001, not {self.points}")

    def interval(self, block: Block, max_grade: int) -> Interval:
        """The mean over levels of value, lower and upper end."""
        steps = self.points - 1
        ends = [
            IPrec(level / steps, self.rounding, self.rel).interval(block, max_grade)
            for level in range(self.points)
        ]
        value, lower, upper = (sum(end) / self.points for end in zip(*ends, strict=True))
        return value, lower, upper


def _interpolated(block: Block, asked: IPrec) -> tuple[Floats, Floats]:
    """Interpolated precision as known, and the most that it can become."""

    def needed(total: Int64s) -> Floats:
        number: Floats = np.floor(asked.recall * total + ADDED[asked.rounding])
        return number

    total = block.n_relevant(asked.rel)[:, None]
    found = block.relevant(asked.rel).cumsum(axis=1)
    most = found + block.unjudged.cumsum(axis=1)
    enough = found >= needed(total)
    value = np.where(enough, found / block.rank, 0.0).max(axis=1, initial=0.0)
    value[total[:, 0] == 0] = np.nan
    could = most >= needed(total + most - found)
    return value, np.where(could, most / block.rank, 0.0).max(axis=1, initial=0.0)
