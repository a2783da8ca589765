"""What people and a cheap judge say of the same pairs, and how the people's pairs were chosen."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from leadline.tables.arrays import Floats, Int16s, Int64s
from leadline.tables.cheap_labels import NO_LABEL
from leadline.tables.judgments import Judgments

Choice = Literal["drawn", "complete", "chosen"]
"""By chance with known probabilities; all that the measure looks at; or nobody knows how."""


class AuditRow(NamedTuple):
    """One line of an audit; what is not known, or does not apply, is None."""

    section: str
    item: str
    value: float | None
    ci_lower: float | None = None
    ci_upper: float | None = None
    n: int | None = None


@dataclass(frozen=True, eq=False)
class AuditedPairs:
    """A judge's label of every pair, NO_LABEL where none, beside the judgments of people.

    `top` is the best grade of the judge's scale. Where the pairs that people judged were drawn,
    `human` has the chance of each, and every interval is about what all pairs would have shown;
    where all were judged it is about other topics like these; else there is none. `by_label`: the
    chances may have followed the labels, as those of Designed with cheap labels do.
    """

    human: Judgments
    label: Int16s
    top: int
    choice: Choice
    by_label: bool = False
    confidence: float = 0.95

    @cached_property
    def both(self) -> Int64s:
        """The pairs that people judged and the judge labelled."""
        return np.flatnonzero(self.human.judged & (self.label != NO_LABEL))

    @cached_property
    def judged(self) -> Int64s:
        """The pairs that people judged."""
        return np.flatnonzero(self.human.judged)

    def weight(self, pair: Int64s) -> Floats:
        """For how many pairs each stands: 1 / inclusion where pairs were drawn."""
        return 1 / self.chance(pair)

    def chance(self, pair: Int64s) -> Floats:
        """The chance with which each of these was drawn, 1 where none was."""
        inclusion = self.human.inclusion
        if self.choice != "drawn" or inclusion is None:
            return np.ones(len(pair))
        return np.where(inclusion[pair] > 0, inclusion[pair], 1.0)

    def error(self, pair: Int64s, influence: Floats) -> Floats:
        """The standard error of statistics that change by `influence` [..., pairs] with a pair.

        Influence is that of one more pair like it; a drawn pair stands for 1 / pi of them:
        variance = sum of (influence / pi)^2 (1 - pi). Where all was judged, topics vary:
        T / (T - 1) * sum over topics of (sum of influence)^2. NaN where nobody knows.
        """
        if self.choice == "drawn":
            pi = self.chance(pair)
            return np.asarray(np.sqrt((influence**2 * ((1 - pi) / pi**2)).sum(axis=-1)))
        n_topics = len(self.human.pairs.topics)
        if self.choice == "chosen" or n_topics < 2:
            return np.full(influence.shape[:-1], np.nan)
        by_topic = np.zeros((len(pair), n_topics))
        by_topic[np.arange(len(pair)), self.human.pairs.topic[pair]] = 1.0
        total = influence @ by_topic
        return np.asarray(np.sqrt((total**2).sum(axis=-1) * n_topics / (n_topics - 1)))

    @property
    def quantile(self) -> float:
        """By how many standard errors an interval reaches to each side."""
        tail = (1 + self.confidence) / 2
        if self.choice == "complete":
            return float(stdtrit(max(len(self.human.pairs.topics) - 1, 1), tail))
        return float(ndtri(tail))

    def row(
        self,
        section: str,
        item: str,
        value: float,
        error: float,
        n: int,
        least: float = -np.inf,
        most: float = np.inf,
    ) -> AuditRow:
        """A line with its interval, inside what is possible."""
        half = self.quantile * error
        return AuditRow(
            section,
            item,
            known(value),
            known(float(np.clip(value - half, least, most))),
            known(float(np.clip(value + half, least, most))),
            n,
        )

    def share_row(
        self,
        section: str,
        item: str,
        value: float,
        error: float,
        weight: Floats,
        most: float = 1.0,
    ) -> AuditRow:
        """A line for a weighted mean of amounts between 0 and `most`, with an interval for few.

        Student's t with as many as would tell as much if they weighed alike, and as if one amount
        more, half way, had been seen: where almost all that was seen is alike, the next one need
        not be.
        """
        n = effective(weight)
        if n < 2 or not np.isfinite(error):
            return AuditRow(section, item, known(value), n=len(weight))
        wide = max(float(stdtrit(n - 1, (1 + self.confidence) / 2)), self.quantile)
        half = wide * (error**2 * n / (n - 1) + (most / 2 / (n + 1)) ** 2) ** 0.5
        lower, upper = max(0.0, value - half), min(most, value + half)
        return AuditRow(section, item, known(value), known(lower), known(upper), len(weight))


def effective(weight: Floats) -> float:
    """How many of equal weight would tell as much: (sum of weights)^2 / sum of squares.

    >>> effective(np.array([1.0, 1.0, 1.0])), effective(np.array([9.0, 1.0]))
    (3.0, 1.2195121951219512)
    """
    square = float((weight**2).sum())
    return float(weight.sum()) ** 2 / square if square > 0 else 0.0


def known(value: float) -> float | None:
    """The number, or None where there is none."""
    return float(value) if np.isfinite(value) else None
