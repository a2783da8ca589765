"""Whether an owner's documents got labels above what their human grades explain: a likelihood."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from leadline.tables.arrays import Bools, Floats, Int64s

MOST_LEVELS = 6
"""Grades of people, or of the judge, that are told apart; of more, neighbours are put together."""

SHARES = np.concatenate([[-0.999], np.linspace(-0.95, 0.95, 39), [0.999]])
"""Of labels that went one grade up, or, below 0, down: where the likelihood is worked out."""

NONE = len(SHARES) // 2

N_STEPS, LEAST_STEP = 150, 1e-4
SEEN_BEFORE = 0.01
"""Documents with every label and grade that count as seen, so that no chance is 0."""


@dataclass(frozen=True, eq=False)
class RaisedLabels:
    """Labels of documents that one owner alone returns, and what people say of some of them.

    For every owner G there are two sides, its documents and those of other single owners.
    `labelled` [owners, 2, labels] counts documents, judged or not; `graded` [owners, 2, grades,
    labels] those that people judged. An honest judge labels by the human grade h alone: P(y | h).
    If it favours G, a share q of the labels of G goes one grade up. The human grades of either side
    S have any distribution t_S, so nothing is assumed of how good G is:

        L(q) = sum_Sy N_Sy log P(y | S) + sum_Shy n_Shy log P(h | y, S)
        P(y | G) = sum_h t_Gh P_q(y | h)

    Labels of what nobody judged count too: they tell how often G's labels are high, and the judged
    ones how often that is earned.
    """

    labelled: Floats
    graded: Floats

    @classmethod
    def of(
        cls, member: Bools, label: Int64s, grade: Int64s, judged: Bools, chance: Floats
    ) -> "RaisedLabels":
        """`member` [owners, pairs]; all pairs that have a label, from 0, with grades from 0.

        Judged pairs of one side and label that were drawn with other chances count 1 / chance, and
        all of them as many as would tell as much if they counted alike.
        """
        n_labels, n_grades = int(label.max(initial=0)) + 1, int(grade.max(initial=0)) + 1
        single = member.any(axis=0)
        sides = np.stack([member, single & ~member], axis=1).astype(np.float64)
        of_label = np.eye(n_labels)[label]
        weight = np.divide(1.0, chance, out=np.zeros(len(chance)), where=judged)
        of_both = (np.eye(n_grades)[grade][:, :, None] * of_label[:, None]).reshape(len(label), -1)
        total, square = (
            sides @ (weight[:, None] * of_label),
            sides @ (weight[:, None] ** 2 * of_label),
        )
        count = (sides @ (weight[:, None] * of_both)).reshape(*sides.shape[:2], n_grades, n_labels)
        alike = np.divide(total, square, out=np.zeros(total.shape), where=square > 0)
        return cls(sides @ of_label, count * alike[:, :, None])

    def _climb(self, owner: Int64s, share: Floats) -> tuple[Floats, Floats]:
        """The log likelihood of each share [problems] for an owner [problems], and P(y) before.

        Expectation and maximisation over P(y | h) and t, from what was judged: Dempster, Laird and
        Rubin 1977.
        """
        graded = self.graded[owner]
        unseen = self.labelled[owner] - graded.sum(axis=2)
        table = graded.sum(axis=1) + SEEN_BEFORE
        by_grade = _rows(table)
        earned = _rows(graded.sum(axis=3) + _rows(table.sum(axis=2))[:, None])
        moved = _moves(share, table.shape[-1])
        before = np.full(len(share), -np.inf)
        for _ in range(N_STEPS):
            chance = np.stack([by_grade @ moved, by_grade], axis=1)
            joint = earned[..., None] * chance
            of_label = joint.sum(axis=2)
            now = (unseen * _log(of_label)).sum(axis=(1, 2))
            now += (graded * _log(joint)).sum(axis=(1, 2, 3))
            if np.max(now - before) < LEAST_STEP:
                break
            before = now
            seen = graded + (unseen / np.maximum(of_label, 1e-300))[:, :, None] * joint
            earned = _rows(seen.sum(axis=3))
            # What the labels of the owner were before they were moved.
            origin = by_grade[..., None] * moved[:, None]
            origin /= np.maximum(origin.sum(axis=2, keepdims=True), 1e-300)
            total = seen[:, 1] + (origin @ seen[:, 0, :, :, None])[..., 0]
            by_grade = _rows(total + SEEN_BEFORE)
        return now, (earned[:, :1] @ by_grade)[:, 0]

    def favours(self, gain: Floats) -> list["Favour"]:
        """For each owner how likely a share of raised labels is; `gain` is that of each label."""
        n, step = len(self.labelled), np.diff(gain)
        value, label = self._climb(np.repeat(np.arange(n), len(SHARES)), np.tile(SHARES, n))
        value = value.reshape(n, -1)
        best = label.reshape(*value.shape, -1)[np.arange(n), value.argmax(axis=1)]
        return [
            Favour(each - each[NONE], float(step @ chance[:-1]), float(step @ chance[1:]))
            for each, chance in zip(value, best, strict=True)
        ]

    def likelihood_of(self, rise: Floats, gain: Floats) -> Floats:
        """[owners]: the log likelihood that labels rose by so much, over that they did not.

        `rise` [owners] is of the mean gain of labels; as much of it counts as there can be.
        """
        owner = np.arange(len(self.labelled))
        none, label = self._climb(owner, np.zeros(len(owner)))
        most = np.maximum(label[:, :-1] @ np.diff(gain), 1e-300)
        return self._climb(owner, np.minimum(rise / most, SHARES[-1]))[0] - none


@dataclass(frozen=True, eq=False)
class Favour:
    """The log likelihood of each of SHARES, over that of none.

    `up` is what it adds to the mean gain of the owner's labels if all go up that can, `down` what
    it takes if all go down.
    """

    likelihood: Floats
    up: float
    down: float

    @cached_property
    def _between(self) -> CubicSpline:
        return CubicSpline(SHARES, self.likelihood)

    def interval(self, critical: float) -> tuple[float, float, float]:
        """The likeliest gain, and the ends of those that are not too unlikely.

        All with 2 (L(best) - L(q)) <= critical^2.
        """
        fine = np.unique(np.append(SHARES, np.linspace(SHARES[0], SHARES[-1], 1000)))
        value = self._between(fine)
        inside = fine[2 * (value.max() - value) <= critical**2]
        told = (float(fine[np.argmax(value)]), float(inside[0]), float(inside[-1]))
        best, lower, upper = (share * (self.up if share > 0 else self.down) for share in told)
        return best, lower, upper


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


def _moves(share: Floats, n_labels: int) -> Floats:
    """[problems, labels, labels]: the chance of a label to become another."""
    moved = np.repeat(np.eye(n_labels)[None], len(share), axis=0)
    at = np.arange(n_labels - 1)
    up, down = np.maximum(share, 0)[:, None], np.maximum(-share, 0)[:, None]
    moved[:, at, at] -= up
    moved[:, at, at + 1] += up
    moved[:, at + 1, at + 1] -= down
    moved[:, at + 1, at] += down
    return moved


def _rows(amount: Floats) -> Floats:
    made: Floats = amount / np.maximum(amount.sum(axis=-1, keepdims=True), 1e-300)
    return made


def _log(chance: Floats) -> Floats:
    made: Floats = np.log(np.maximum(chance, 1e-300))
    return made
