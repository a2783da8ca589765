"""What a judge says of some documents beyond what it says of others that people graded alike."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int64s

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
