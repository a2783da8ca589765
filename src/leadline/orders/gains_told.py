"""What the grades told so far are worth by a measure, and the ideal of each topic by them."""

import numpy as np

from leadline.measures.measure import NOT_WEIGHTED, Measure
from leadline.tables.arrays import Bools, Floats, Int16s, Int32s, Int64s
from leadline.tables.pairs import Pairs


class GainsTold:
    """Grades of pairs as shares of the best grade's gain, and ideals in the same unit.

    The best grade is the measure's `max_grade`, else the best of all grades told, so that it is all
    one whether judgments were there at the start or were told. An unjudged document is worth from 0
    to 1. Grades above the measure's own scale count as its best. A topic's ideal is at least that
    of one document of the best grade: the least to be found.
    """

    def __init__(self, measure: Measure, pairs: Pairs) -> None:
        weighted = measure.numerator
        if weighted is None:
            raise ValueError(f"{measure} {NOT_WEIGHTED}")
        self.measure, self.weighted, self.pairs = measure, weighted, pairs
        self.grade: Int32s = np.full(len(pairs), -1, np.int32)
        self.ideal: Floats = np.ones(len(pairs.topics))
        self.best = 0
        self._scale()

    def tell(self, pair: int, grade: int) -> bool:
        """Whether the grade is better than all before it, so that all gains change."""
        self.grade[pair] = grade
        return grade > self.best and self._scale()

    def tell_all(self, told: Bools, grade: Int16s) -> bool:
        """Whether one of these grades is better than all before them, so that all gains change."""
        self.grade[told] = grade[told]
        return int(grade[told].max(initial=0)) > self.best and self._scale()

    def forget(self, pair: int) -> bool:
        """Whether the best grade goes with it, so that all gains change."""
        grade, self.grade[pair] = int(self.grade[pair]), -1
        return grade == self.best and self._scale()

    def of(self, grade: int) -> float:
        """What a grade is worth, from 0 to 1."""
        return float(self.gain[min(grade, len(self.gain) - 1)])

    def of_pairs(self) -> Floats:
        """The same of every pair, 0 for those that have no grade."""
        kept: Int64s = np.clip(self.grade, 0, len(self.gain) - 1)
        return np.where(self.grade < 0, 0.0, self.gain[kept])

    def factor(self, topic: int) -> float:
        """By what the topic's weights are to be multiplied, for its ideal as it is now."""
        first, last = self.pairs.topic_start[topic : topic + 2]
        told = self.grade[first:last]
        told = np.clip(told[told >= 0], 0, len(self.gain) - 1)
        counts = np.bincount(told, minlength=len(self.gain))
        (ideal,), _ = self.measure.ideals(counts[None, :], self.best)
        before, self.ideal[topic] = self.ideal[topic], max(1.0, float(ideal) / self.unit)
        return float(before / self.ideal[topic])

    def _scale(self) -> bool:
        """The gains for the best grade as it is now; whether they are others than before."""
        most = int(self.grade.max(initial=0))
        top, before = self.weighted.max_grade, self.best
        self.best = max(most, self.weighted.rel) if top is None else top
        gain = self.weighted.gain(self.best)
        self.unit = float(gain.max()) or 1.0
        self.gain: Floats = gain / self.unit
        return self.best != before and self.weighted.gains != "binary"
