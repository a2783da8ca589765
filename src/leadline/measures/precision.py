"""Precision, R-precision, recall, and precision interpolated at levels of recall."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.data.arrays import Floats, Int64s
from leadline.data.lists import Block
from leadline.measures.measure import Interval, Measure, Weighted, measures


@measures.register
@dataclass(frozen=True)
class P(Weighted):
    """Share of the first k ranks that hold a relevant document.

    Formula: P@k = (relevant among the first k) / k

    Ranks beyond the end of a short list count as non-relevant and are closed. A topic without
    relevant documents scores 0.

    >>> P(k=4).sketch("1 ? 0")
    '0.2500 [0.2500, 0.5000]'
    """

    k: int
    rel: int = 1
    judged_only: bool = False

    def weights(self, n: int) -> Floats:
        """1/k for the first k ranks."""
        return np.where(np.arange(n) < self.k, 1 / self.k, 0.0)

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Counts over k: the same as the sum of weights, without its rounding."""
        known = block.n_found(self.rel)
        open_ = block.n_unjudged
        return known / self.k, known / self.k, (known + open_) / self.k


@measures.register
@dataclass(frozen=True)
class SetP(Measure):
    """Share of all documents returned that are relevant, whatever their order.

    Formula: SetP = relevant returned / returned

    A run that returns nothing scores 0.

    >>> SetP().sketch("1 ? 0 1")
    '0.5000 [0.5000, 0.7500]'
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Counts over the list's length."""
        n = np.maximum(block.length, 1)
        known = block.n_found(self.rel)
        open_ = block.n_unjudged
        return known / n, known / n, (known + open_) / n


@measures.register
@dataclass(frozen=True)
class Rprec(Measure):
    """Precision at R, the number of the topic's relevant documents.

    Formula: Rprec = (relevant among the first R) / R

    Relevant documents that nobody has seen may be many, so the lower end is 0. For the upper end
    let m documents more be relevant: the depth becomes R + m and at most m of the unjudged
    documents above it count, (r + min(m, u)) / (R + m), and the best m is taken. Undefined on a
    topic without relevant documents.

    >>> Rprec().sketch("1 ? 0 1", elsewhere="1")
    '0.3333 [0.0000, 0.7500]'
    """

    at = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Precision at R, and the best precision at R + m over m."""
        total = block.n_relevant(self.rel)[:, None]
        found = block.relevant(self.rel).cumsum(axis=1)
        open_ = block.unjudged.cumsum(axis=1)
        last = found.shape[1] - 1
        at_r = np.take_along_axis(found, np.clip(total - 1, 0, last), axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.where(total > 0, at_r / total, np.nan)[:, 0]
            # Depths R + m inside the list ...
            reach = (found + np.minimum(block.rank - total, open_)) / block.rank
            inside = np.where(block.rank >= np.maximum(total, 1), reach, 0.0).max(axis=1)
            # ... and the best one at or beyond its end, where all its unjudged documents count.
            n = block.judged.shape[1]
            beyond = np.maximum(total[:, 0] + open_[:, -1], n)
            end = (found[:, -1] + np.minimum(beyond - total[:, 0], open_[:, -1])) / beyond
        return value, np.zeros(len(value)), np.fmax(np.maximum(inside, end), value)


@measures.register
@dataclass(frozen=True)
class Recall(Measure):
    """Share of the topic's relevant documents in the first k ranks (in all ranks without @k).

    Formula: Recall@k = (relevant among the first k) / R, R = relevant documents known

    Relevant documents that nobody has seen may be many, so the lower end is 0. The upper end makes
    every unjudged document of the first k relevant and nothing else: (r + u) / (R + u) grows with
    u. Undefined on a topic without relevant documents.

    >>> Recall(k=2).sketch("1 ? 1", elsewhere="1")
    '0.3333 [0.0000, 0.5000]'
    """

    k: int | None = None
    rel: int = 1
    judged_only: bool = False

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Counts in the first k over R."""
        found = block.n_found(self.rel)
        open_ = block.n_unjudged
        total = block.n_relevant(self.rel).astype(np.float64)
        value = np.divide(found, total, out=np.full(len(total), np.nan), where=total > 0)
        most = total + open_
        upper = np.divide(found + open_, most, out=np.zeros(len(total)), where=most > 0)
        return value, np.zeros(len(total)), upper


Rounding = Literal["up", "nearest"]
ADDED: dict[Rounding, float] = {"up": 0.9, "nearest": 0.5}
"""What is added to a share of R before its fraction is cut off."""


@measures.register
@dataclass(frozen=True)
class IPrec(Measure):
    """Highest precision at any rank with at least the given recall.

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
    """Mean of interpolated precision over evenly spaced recall levels, 11 by default.

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
