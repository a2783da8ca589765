"""Whether an owner's documents got labels above what their human grades explain: a likelihood."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from leadline.tables.arrays import Bools, Floats, Int64s

MOST_LEVELS = 6
"""Grades of people, or of the judge, that are told apart; of more, neighbours are put together."""

TILTS = 8 * np.sinh(np.linspace(-2.5, 2.5, 61)) / np.sinh(2.5)
"""By how much the log odds of the best label against the worst rise, or fall, where the likelihood
is worked out: most of them near 0."""

ROUGHLY = TILTS[::3]
"""Enough to tell who is suspect."""

N_STEPS, LEAST_STEP = 150, 1e-4
SEEN_BEFORE = 0.01
"""Documents with every label and grade that count as seen, so that no chance is 0."""

AS_ELSEWHERE = 2.0
"""Documents of each label of an owner that count as judged, with grades as those of all owners."""


@dataclass(frozen=True, eq=False)
class RaisedLabels:
    """Labels of documents that one owner alone returns, and what people say of some of them.

    For every owner G there are two sides, its documents and those of other single owners.
    `labelled` [owners, 2, labels] counts documents, judged or not; `graded` [owners, 2, grades,
    labels] those that people judged. Others are weighted to be ranked as G's are, and count as many
    as would tell as much. Among such an honest judge labels by the human grade h alone: P(y | h).
    If it favours G, the log odds of each label of G against the next lower one rise by the same,
    P_b(y | h) ~ P(y | h) exp(b y / best label). The human grades of either side S have any
    distribution t_S, so nothing is assumed of how good G is:

        L(b) = sum_Sy N_Sy log P(y | S) + sum_Shy n_Shy log P(h | y, S)
        P(y | G) = sum_h t_Gh P_b(y | h)

    Labels of what nobody judged count too: they tell how often G's labels are high, and the judged
    ones how often that is earned.
    """

    labelled: Floats
    graded: Floats

    @classmethod
    def of(
        cls,
        member: Bools,
        label: Int64s,
        grade: Int64s,
        judged: Bools,
        chance: Floats,
        band: Int64s,
    ) -> "RaisedLabels":
        """`member` [owners, pairs]; all pairs that have a label, from 0, with grades from 0.

        Pairs of others are weighted so that they lie in each `band` as often as the owner's do.
        Judged pairs of one side and label that were drawn with other chances count 1 / chance, and
        all of them as many as would tell as much if they counted alike.
        """
        n_labels, n_grades = int(label.max(initial=0)) + 1, int(grade.max(initial=0)) + 1
        single = member.any(axis=0)
        others = (single & ~member) * _matched(member, single & ~member, band)
        sides = np.stack([member.astype(np.float64), others], axis=1)
        of_label = np.eye(n_labels)[label]
        weight = np.divide(1.0, chance, out=np.zeros(len(chance)), where=judged)
        of_both = (np.eye(n_grades)[grade][:, :, None] * of_label[:, None]).reshape(len(label), -1)
        total, square = (
            sides @ (weight[:, None] * of_label),
            sides**2 @ (weight[:, None] ** 2 * of_label),
        )
        count = (sides @ (weight[:, None] * of_both)).reshape(*sides.shape[:2], n_grades, n_labels)
        alike = np.divide(total, square, out=np.zeros(total.shape), where=square > 0)
        whole, squares = sides.sum(axis=2), (sides**2).sum(axis=2)
        labelled = sides @ of_label
        labelled *= np.divide(whole, squares, out=np.zeros(whole.shape), where=squares > 0)[
            ..., None
        ]
        # Never more judged documents of a label than there are.
        most = np.divide(labelled, total, out=np.zeros(total.shape), where=total > 0)
        return cls(labelled, count * np.minimum(alike, most)[:, :, None])

    def _climb(self, owner: Int64s, tilt: Floats, gain: Floats) -> tuple[Floats, Floats]:
        """The log likelihood of each tilt [problems] for an owner [problems], and what it adds.

        That is to the mean gain of the owner's labels. Expectation and maximisation over P(y | h)
        and t, from what was judged: Dempster, Laird and Rubin 1977.
        """
        graded = self.graded[owner]
        unseen = self.labelled[owner] - graded.sum(axis=2)
        table = graded.sum(axis=1) + SEEN_BEFORE
        by_grade = _rows(table)
        earned = _rows(graded.sum(axis=3) + _rows(table.sum(axis=2))[:, None])
        n_labels = table.shape[-1]
        factor = np.exp(tilt[:, None] * np.arange(n_labels) / max(n_labels - 1, 1))[:, None]
        before = np.full(len(tilt), -np.inf)
        for _ in range(N_STEPS):
            tilted = by_grade * factor
            whole = tilted.sum(axis=2, keepdims=True)
            joint = earned[..., None] * np.stack([tilted / whole, by_grade], axis=1)
            of_label = joint.sum(axis=2)
            now = (unseen * _log(of_label)).sum(axis=(1, 2))
            now += (graded * _log(joint)).sum(axis=(1, 2, 3))
            if np.max(now - before) < LEAST_STEP:
                break
            before = now
            seen = graded + (unseen / np.maximum(of_label, 1e-300))[:, :, None] * joint
            of_grade = seen.sum(axis=3)
            earned = _rows(of_grade)
            # Where the derivative of the expected likelihood by P(y | h) is 0.
            expected = of_grade[:, 1, :, None] + of_grade[:, 0, :, None] * factor / whole
            by_grade = _rows((seen.sum(axis=1) + SEEN_BEFORE) / np.maximum(expected, SEEN_BEFORE))
        added = (tilted / whole - by_grade) @ gain
        return now, (earned[:, 0] * added).sum(axis=1)

    def favours(self, gain: Floats, tilts: Floats = TILTS) -> list["Favour"]:
        """For each owner how likely its labels were raised; `gain` is that of each label."""
        n = len(self.labelled)
        value, added = self._climb(np.repeat(np.arange(n), len(tilts)), np.tile(tilts, n), gain)
        value, added = value.reshape(n, -1), added.reshape(n, -1)
        none = len(tilts) // 2
        return [Favour(tilts, value[at] - value[at, none], added[at]) for at in range(n)]

    def errors(self, gain: Floats) -> Floats:
        """How far off, roughly, the mean gain that favour adds to each owner's labels is told.

        Formula: sqrt(sum_h t_Gh s_h^2 / N_G + v_G (1 / n - 1 / N_G) + sum_h t_Gh^2 s_h^2 / n_h)

        Labels of N_G documents with human grade h vary by s_h^2 about their mean m_h, and judged
        ones of other single owners, n_h of them, tell m_h; v_G is how m_h varies given the label.
        n is as many judged documents as any owner has, N_G at most: who has few, because nothing
        was suspected, is not harder to find out about.
        """
        total = self.labelled.sum(axis=2)
        judged = self.graded.sum(axis=2)
        told = _rows((self.graded.sum(axis=1) + SEEN_BEFORE).swapaxes(1, 2)).swapaxes(1, 2)
        earned = self.graded + AS_ELSEWHERE * told[:, None]
        earned /= (judged + AS_ELSEWHERE)[:, :, None]
        joint = earned * self.labelled[:, :, None]
        by_grade = _rows(joint.sum(axis=1))
        mean = by_grade @ gain
        square = np.maximum(by_grade @ gain**2 - mean**2, 0.0)
        mine = earned[:, 0]
        spread = (mine * mean[:, :, None] ** 2).sum(axis=1)
        spread -= (mine * mean[:, :, None]).sum(axis=1) ** 2
        spread = np.maximum(spread, 0.0)
        n_own = np.maximum(total[:, 0], 1.0)
        most = np.clip(judged[:, 0].sum(axis=1).max(initial=0.0), 1.0, n_own)
        share = joint[:, 0].sum(axis=2) / n_own[:, None]
        of_labels = (share * square).sum(axis=1) / n_own
        of_grades = (_rows(self.labelled[:, 0]) * spread).sum(axis=1) * (1 / most - 1 / n_own)
        of_others = (share**2 * square / (1 + self.graded[:, 1].sum(axis=2))).sum(axis=1)
        made: Floats = np.sqrt(of_labels + of_grades + of_others)
        return made


@dataclass(frozen=True, eq=False)
class Favour:
    """The log likelihood of each tilt over that of none, and what it adds to the mean gain."""

    tilts: Floats
    likelihood: Floats
    added: Floats

    def interval(self, below: float, above: float) -> tuple[float, float, float]:
        """The likeliest addition, and the ends of those that are not too unlikely.

        All with 2 (L(best) - L(b)) <= below^2 or above^2, by the side of the best that b is on.
        """
        fine = np.unique(np.append(self.tilts, np.linspace(self.tilts[0], self.tilts[-1], 4000)))
        value = CubicSpline(self.tilts, self.likelihood)(fine)
        added = np.interp(fine, self.tilts, self.added)
        best = int(np.argmax(value))
        most = np.where(np.arange(len(fine)) < best, below, above)
        inside = added[2 * (value[best] - value) <= most**2]
        return float(added[best]), float(inside.min()), float(inside.max())

    def likelihood_of(self, added: float) -> float:
        """The log likelihood that this much, or as much of it as there can be, was added."""
        tilt = np.interp(added, np.maximum.accumulate(self.added), self.tilts)
        return float(CubicSpline(self.tilts, self.likelihood)(tilt))


def _matched(member: Bools, others: Bools, band: Int64s) -> Floats:
    """Return the weight [owners, pairs] that gives others the owner's distribution over bands."""
    cell = np.eye(int(band.max(initial=0)) + 1)[band]
    mine, theirs = member @ cell, others @ cell
    weight: Floats = np.divide(mine, theirs, out=np.zeros(mine.shape), where=theirs > 0)[:, band]
    return weight


def levels(values: Int64s) -> Int64s:
    """Values as numbers from 0 on, in their order; of many kinds, neighbours get one number.

    >>> levels(np.array([0, 2, 2, 3])).tolist()
    [0, 1, 1, 2]
    """
    kinds, number, count = np.unique(values, return_inverse=True, return_counts=True)
    if len(kinds) > MOST_LEVELS:
        middle = (count.cumsum() - count / 2) / count.sum()
        number = np.minimum((middle * MOST_LEVELS).astype(np.int64), MOST_LEVELS - 1)[number]
        number = np.unique(number, return_inverse=True)[1]
    return number.astype(np.int64)


def _rows(amount: Floats) -> Floats:
    made: Floats = amount / np.maximum(amount.sum(axis=-1, keepdims=True), 1e-300)
    return made


def _log(chance: Floats) -> Floats:
    made: Floats = np.log(np.maximum(chance, 1e-300))
    return made
