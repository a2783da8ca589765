"""What people and a judge say of the same pairs, and what a label is worth."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from leadline.data.arrays import Bools, Floats, Int16s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.labels import NO_LABEL

Choice = Literal["drawn", "complete", "chosen"]
"""At random with known probabilities; all that the measure looks at; or nobody knows how."""


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
    chances may have followed the labels, as those of WeightedSample with labels do.
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


@dataclass(frozen=True, eq=False)
class Calibration:
    """E[h | g]: the mean gain `value` of pairs with each `label`, the last of them NO_LABEL."""

    label: Int64s
    value: Floats
    error: Floats
    n: Int64s

    @classmethod
    def of(cls, audited: AuditedPairs, gain: Floats) -> "Calibration":
        """From pairs that people judged, each weighted 1 / pi; `gain` is that of each grade.

        A label of which nobody judged a pair has the mean of all; its error is NaN.
        """
        pair = audited.judged
        worth = gain[audited.human.grade[pair]]
        weight = audited.weight(pair)
        labels = np.append(np.arange(audited.top + 1), NO_LABEL)
        mean = float(np.average(worth, weights=weight)) if len(pair) else np.nan
        value, error = np.full(len(labels), mean), np.full(len(labels), np.nan)
        n = np.zeros(len(labels), np.int64)
        for at, label in enumerate(labels):
            here = audited.label[pair] == label
            n[at] = here.sum()
            if n[at]:
                total = float(weight[here].sum())
                value[at] = float((weight * worth)[here].sum()) / total
                influence = np.where(here, (worth - value[at]) / total, 0.0)
                error[at] = float(audited.error(pair, influence)) if n[at] > 1 else np.nan
        return cls(labels, value, error, n)

    def expected(self, label: Floats | Int64s) -> Floats:
        """The gain to expect of pairs with these labels."""
        expected: Floats = self.value[np.asarray(label, np.int64)]
        return expected


def calibration_rows(audited: AuditedPairs, gain: Floats) -> list[AuditRow]:
    """Section calibration: a line for each label, and one for pairs without."""
    made = Calibration.of(audited, gain)
    pair = audited.judged
    weight, most = audited.weight(pair), float(gain.max())
    rows = []
    for label, value, error, n in zip(made.label, made.value, made.error, made.n, strict=True):
        name = "no label" if label == NO_LABEL else f"grade {label}"
        if n or label != NO_LABEL:
            seen = value if n else np.nan
            behind = weight[audited.label[pair] == label]
            rows.append(audited.share_row("calibration", name, seen, error, behind, most))
    return rows


N_PERMUTATIONS = 1000
TOGETHER = 1 << 22
"""Labels that are held at once while they are permuted."""


@dataclass(frozen=True, eq=False)
class Contrasts:
    """[contrasts, pairs]: the weight with which a pair's label counts in each contrast.

    `stratum` tells which pairs are alike but for who returns them: the grade that people gave, and
    how many groups return it. In every stratum the weights of a contrast add up to 0, so labels
    that depend on the stratum alone make no contrast. `n` counts the documents behind each.
    """

    weight: Floats
    stratum: Int64s
    n: Int64s

    @classmethod
    def of(
        cls, member: Bools, share: Floats, total: Floats, other: Floats, stratum: Int64s
    ) -> "Contrasts":
        """`total` times (mean label of the members - that of other pairs of their strata).

        Formula: D = A (sum_S a_p y_p / sum_S a_p - sum_z s_z mean of y over others of stratum z)

        `member` [contrasts, pairs] are S, `share` [contrasts, pairs] are their weights a, s_z the
        share of them in stratum z; others count by `other` [pairs]. Members of a stratum without
        others are left out: there is nothing to hold them against.

        >>> member = np.array([[True, False, True, False]])
        >>> one = np.ones(4)
        >>> held = Contrasts.of(member, member * one, np.ones(1), one, np.array([0, 0, 1, 1]))
        >>> held.values(np.array([3.0, 1.0, 2.0, 2.0])).tolist()
        [1.0]
        """
        n_strata = int(stratum.max(initial=-1)) + 1
        cell = np.zeros((len(stratum), n_strata))
        cell[np.arange(len(stratum)), stratum] = 1.0
        outside = np.where(member, 0.0, other)
        there = outside @ cell
        compared = member & (there > 0)[:, stratum]
        inside = _shares(np.where(compared, share, 0.0))
        held = inside @ cell
        against = np.divide(
            held[:, stratum] * outside,
            there[:, stratum],
            out=np.zeros(outside.shape),
            where=there[:, stratum] > 0,
        )
        n = (compared & (share > 0)).sum(axis=1).astype(np.int64)
        return cls(total[:, None] * (inside - against), stratum, n)

    def values(self, label: Floats) -> Floats:
        """The contrasts of these labels, one for each pair, or of several rows of them."""
        made: Floats = self.weight @ label
        return made

    @cached_property
    def _in_strata(self) -> list[Int64s]:
        order = np.argsort(self.stratum, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.stratum[order])) + 1)

    def errors(self, label: Floats) -> Floats:
        """Standard deviations of the contrasts if labels depend on the stratum alone.

        Exact for labels that are permuted inside strata: the sum over strata of the variance of
        labels times the sum of squared weights.
        """
        square = np.zeros(len(self.weight))
        for rows in self._in_strata:
            # Labels that are all alike have a variance in the last digits only.
            if np.ptp(label[rows]) > 0:
                weight = self.weight[:, rows]
                off = weight - weight.mean(axis=1, keepdims=True)
                square += label[rows].var(ddof=1) * (off**2).sum(axis=1)
        return np.sqrt(square)

    def standardised(self, label: Floats) -> Floats:
        """Contrasts over their standard deviations, 0 where there is none."""
        error = self.errors(label)
        value = self.values(label)
        return np.divide(value, error, out=np.zeros(len(value)), where=error > 0)

    def critical(self, label: Floats, level: float, seed: int, n: int = N_PERMUTATIONS) -> float:
        """What the largest standardised contrast exceeds with this chance if none is real.

        Labels are permuted inside strata, so nothing is assumed of their distribution, and
        contrasts that share documents need no more correction than they deserve: Westfall and
        Young, Resampling-based multiple testing, 1993. Infinite where there is no contrast.
        """
        error = self.errors(label)
        some = error > 0
        if not some.any():
            return np.inf
        weight = self.weight[some] / error[some, None]
        random = np.random.default_rng(seed)
        at_once = max(1, TOGETHER // max(1, len(label)))
        largest = []
        for begin in range(0, n, at_once):
            permuted = np.empty((len(label), min(at_once, n - begin)))
            for rows in self._in_strata:
                same = np.repeat(label[rows, None], permuted.shape[1], axis=1)
                permuted[rows] = random.permuted(same, axis=0)
            largest.append(np.abs(weight @ permuted).max(axis=0))
        return float(np.quantile(np.concatenate(largest), 1 - level, method="higher"))


def held_against(
    member: Bools, share: Floats, total: Floats, other: Floats, stratum: Int64s
) -> Contrasts:
    """Contrasts, with the strata that occur numbered without gaps."""
    number = np.unique(stratum, return_inverse=True)[1].astype(np.int64)
    return Contrasts.of(member, share, total, other, number)


def _shares(amount: Floats) -> Floats:
    """Rows that add up to 1, or to 0 where there is nothing."""
    total = amount.sum(axis=1, keepdims=True)
    share: Floats = np.divide(amount, total, out=np.zeros(amount.shape), where=total > 0)
    return share
