"""Documents that one group alone returns: where favour pays its group and nobody else."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.auditing.contrasts import Contrasts
from leadline.auditing.run_bias import means_of
from leadline.estimators.pair_weights import PairWeights
from leadline.tables.arrays import Bools, Floats, Int64s

LEAST_SHARE = 0.05
"""Of what a group's lists weigh: one whose own documents weigh less can hardly be favoured."""

FEW_OWNERS = 3
"""Documents of one owner, of up to three, and of more are held against their like."""


@dataclass(frozen=True, eq=False)
class OwnedDocuments:
    """Which of the pairs that a measure looks at each owner alone returns.

    An owner is a group, or a family of runs built on one model. `weight` [owners, pairs] is what a
    pair weighs in the mean score of the owner's runs, 0 where it is not theirs alone; `n_owners`
    tells how many return a pair.
    """

    names: tuple[str, ...]
    weight: Floats
    n_owners: Int64s
    total: Floats

    @classmethod
    def of(cls, weights: PairWeights, owner: tuple[str | None, ...]) -> "OwnedDocuments":
        """By the owner of each run; runs without one count as owners of their own."""
        every = tuple(name or f"\0{at}" for at, name in enumerate(owner))
        names, mix = means_of(every)
        mean = mix @ weights.matrix
        n_owners = (mean > 0).sum(axis=0)
        told = [at for at, name in enumerate(names) if not name.startswith("\0")]
        total = mean.sum(axis=1)
        kept = tuple(names[at] for at in told)
        return cls(kept, np.where(n_owners == 1, mean, 0.0)[told], n_owners, total[told])

    @cached_property
    def member(self) -> Bools:
        """[owners, pairs]: whether an owner alone returns a pair."""
        return self.weight > 0

    @cached_property
    def own(self) -> Floats:
        """What the documents of its own weigh in each owner's score."""
        own: Floats = self.weight.sum(axis=1)
        return own

    @cached_property
    def tested(self) -> Bools:
        """Owners whose own documents weigh enough to be worth favouring."""
        return self.own >= LEAST_SHARE * self.total

    def contrasts(
        self, pair: Int64s, grade: Int64s, chance: Floats, by_label: bool = False
    ) -> Contrasts:
        """An owner's documents against those of other single owners with the same grade.

        `pair` are places among the pairs, with their grade by people and their chance of having
        been drawn. The value is what the judge adds to the owner's mean score.
        """
        return held_against(
            self.member[:, pair],
            self.weight[:, pair] / chance,
            self.own,
            1 / chance if by_label else np.ones(len(pair)),
            grade * 3 + bands(self.n_owners[pair]),
        )


def bands(n_owners: Int64s) -> Int64s:
    """0 for what one owner returns, 1 for up to three, 2 for more.

    What many return is relevant more often, and looks more relevant even where it is not.
    """
    return np.where(n_owners <= 1, 0, np.where(n_owners <= FEW_OWNERS, 1, 2)).astype(np.int64)


def held_against(
    member: Bools, share: Floats, total: Floats, other: Floats, stratum: Int64s
) -> Contrasts:
    """Contrasts, with the strata that occur numbered without gaps."""
    number = np.unique(stratum, return_inverse=True)[1].astype(np.int64)
    return Contrasts.of(member, share, total, other, number)
