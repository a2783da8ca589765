"""How far assessors agree: confusion, Cohen's kappa for two, Krippendorff's alpha for all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.comparison.label_agreement import Agreement, krippendorff
from leadline.judging.merge import Vote
from leadline.tables.arrays import Int64s


@dataclass(frozen=True)
class AssessorAgreement:
    """Two assessors on the pairs that both have graded; rows of the confusion are the first's."""

    first: str
    second: str
    grades: tuple[int, ...]
    confusion: tuple[tuple[int, ...], ...]

    @cached_property
    def agreement(self) -> Agreement:
        """The confusion, counted."""
        return Agreement(np.array(self.confusion))

    @property
    def n(self) -> int:
        """Pairs that both have graded."""
        return self.agreement.n

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where there is no chance to disagree."""
        return self.agreement.kappa() if self.agreement.by_chance() > 0 else None

    @property
    def same(self) -> float:
        """The share of pairs with the same grade."""
        return self.agreement.observed()


Graded = Mapping[int, Mapping[str, int]]
"""Grades by pair and assessor."""


def graded(votes: Mapping[int, Mapping[str, Vote]], kinds: Sequence[str]) -> Graded:
    """Grades by pair and assessor, of assessors of these kinds; who could not tell is left out."""
    return {
        pair: {
            vote.who: vote.grade
            for vote in said.values()
            if vote.grade is not None and vote.kind in kinds
        }
        for pair, said in votes.items()
    }


def pairwise(found: Graded, grades: tuple[int, ...]) -> list[AssessorAgreement]:
    """Every two assessors that have graded a pair in common, most pairs first."""
    place = {grade: at for at, grade in enumerate(grades)}
    tables: dict[tuple[str, str], Int64s] = {}
    for said in found.values():
        names = sorted(said)
        for at, first in enumerate(names):
            for second in names[at + 1 :]:
                if said[first] not in place or said[second] not in place:
                    continue
                table = tables.setdefault(
                    (first, second), np.zeros((len(grades), len(grades)), np.int64)
                )
                table[place[said[first]], place[said[second]]] += 1
    made = [
        AssessorAgreement(first, second, grades, tuple(map(tuple, table.tolist())))
        for (first, second), table in tables.items()
    ]
    return sorted(made, key=lambda each: (-each.n, each.first, each.second))


def krippendorff_alpha(found: Graded) -> float | None:
    """Agreement beyond chance of any number of assessors, for ordered grades; None if undefined."""
    units = [list(said.values()) for said in found.values() if len(said) > 1]
    values = sorted({grade for unit in units for grade in unit})
    if len(values) < 2:
        return None
    place = {grade: at for at, grade in enumerate(values)}
    counts = np.zeros((len(units), len(values)))
    for row, unit in enumerate(units):
        for grade in unit:
            counts[row, place[grade]] += 1
    weight = 1 / (counts.sum(axis=1) - 1)
    return krippendorff((counts.T * weight) @ counts - np.diag(weight @ counts))
