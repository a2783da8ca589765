"""Documents that one group alone returns: where favour pays its group and nobody else."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.auditing.raised_labels import RaisedLabels, levels
from leadline.auditing.run_bias import means_of
from leadline.estimators.pair_weights import PairWeights
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.cheap_labels import NO_LABEL

LEAST_SHARE = 0.05
"""Of what a group's lists weigh: one whose own documents weigh less can hardly be favoured."""

FUSION = 60
"""Added to ranks in reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009."""

N_BANDS = 5
"""Bands of fused scores inside which documents are compared."""


@dataclass(frozen=True, eq=False)
class OwnedDocuments:
    """Which of the pairs that a measure looks at each owner alone returns.

    An owner is a group, or a family of runs built on one model. `weight` [owners, pairs] is what a
    pair weighs in the mean score of the owner's runs, 0 where it is not theirs alone; `n_owners`
    tells how many return a pair, `fused` its score by reciprocal rank fusion of all runs.
    """

    names: tuple[str, ...]
    weight: Floats
    n_owners: Int64s
    total: Floats
    fused: Floats

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
        single = np.where(n_owners == 1, mean, 0.0)[told]
        return cls(kept, single, n_owners, total[told], fused_scores(weights))

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
    def unevenness(self) -> Floats:
        """How far off a sum of weights is if single ones are taken for the mean of the owner's.

        The root of the sum of (W_p - mean of W)^2 over the documents of its own.
        """
        mean = self.own / np.maximum(self.member.sum(axis=1), 1)
        apart = np.where(self.member, self.weight - mean[:, None], 0.0)
        uneven: Floats = np.sqrt((apart**2).sum(axis=1))
        return uneven

    @cached_property
    def tested(self) -> Bools:
        """Owners whose own documents weigh enough to be worth favouring."""
        return self.own >= LEAST_SHARE * self.total

    def raised(
        self, label: Int64s, gain: Floats, grade: Int64s, judged: Bools, chance: Floats
    ) -> tuple[RaisedLabels, Floats]:
        """How labels of what each owner alone returns compare with those of other single owners.

        Within a grade an honest judge may label what runs rank high above what they rank low, so
        others count as often in each band of fused scores as the owner's documents are in it.
        Of every pair: its label, NO_LABEL where none; its grade by people where it was judged, with
        its chance of having been drawn. `gain` is that of each label. Also the mean gain of each
        level of labels that is told apart.
        """
        used = np.flatnonzero(self.member.any(axis=0) & (label != NO_LABEL))
        level = levels(label[used])
        known = judged[used]
        of_grade = np.zeros(len(used), np.int64)
        of_grade[known] = levels(grade[used][known])
        band = bands(self.fused[used], N_BANDS)
        made = RaisedLabels.of(self.member[:, used], level, of_grade, known, chance[used], band)
        return made, np.bincount(level, gain[label[used]]) / np.bincount(level)


def fused_scores(weights: PairWeights) -> Floats:
    """Return the score of each pair by reciprocal rank fusion of all runs."""
    runs = weights.runs
    score = np.bincount(runs.pair, 1 / (FUSION + runs.entries.rank), len(runs.pairs))
    return score[weights.pair].astype(np.float64)


def bands(fused: Floats, n: int) -> Int64s:
    """Return which of n bands of about as many pairs each is in, the lowest fused score first.

    >>> bands(np.array([0.4, 0.1, 0.3, 0.2]), 2).tolist()
    [1, 0, 1, 0]
    """
    ends = np.quantile(fused, np.arange(1, n) / n) if len(fused) else np.zeros(0)
    return np.searchsorted(ends, fused, side="right").astype(np.int64)
