"""Lipani's correction of precision, from what a new run does to the pooled ones."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.measures.precision import P
from leadline.tables.arrays import Floats, Int16s, Int32s, Int64s
from leadline.tables.runs import UNRANKED, Runs

CELLS = 1 << 21


@adjusters.register
@dataclass(frozen=True)
class Lipani(Adjuster):
    """Correction of P@n by the unjudged documents that a new run moves into the pooled runs' tops.

    Formula: K * max(dK, 0) is added if K * (dP * A - dA * P) > 0

    P, A and K are the shares of relevant, judged non-relevant and unjudged documents in the new
    run's first n, means over topics. Each pooled run's own documents are re-ordered: one that the
    new run returns too gets the new run's rank (merge=replace, as in the authors' software) or the
    mean of both ranks (merge=average, as in the text); equal ranks keep their old order. dP, dA and
    dK are the mean changes of the three shares. Only for P@n. `merge` has no default because the
    paper and its software disagree.

    Lipani, Lupu and Hanbury, Splitting water: precision and anti-precision to reduce pool bias,
    SIGIR 2015; as stated in The curious incidence of bias corrections in the pool, ECIR 2016.
    """

    merge: Literal["average", "replace"]

    def check(self, evidence: PoolBias) -> None:
        """Only precision at a depth has its anti-precision."""
        self._precision(evidence)

    def _precision(self, evidence: PoolBias) -> P:
        measure = evidence.measure
        if not isinstance(measure, P) or measure.judged_only:
            raise ValueError(f"{self} puts right P@n only, not {measure}: try Systems or Predicted")
        return measure

    def amounts(self, evidence: PoolBias) -> Floats:
        """K max(dK, 0) where the trigger is above 0."""
        share, change = self._shares(evidence)
        # Counts, so that the sign of the trigger is exact; (P, A, K) are the columns.
        trigger = share[:, 2] * (change[:, 0] * share[:, 1] - change[:, 1] * share[:, 0])
        ranks = self._precision(evidence).k * evidence.n_topics
        n_pooled = len(evidence.contributors)
        amount = share[:, 2] * np.maximum(change[:, 2], 0) / (ranks * ranks * n_pooled)
        return np.where(trigger > 0, amount, 0.0)

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the changes."""
        share, change = self._shares(evidence)
        depth = self._precision(evidence).k
        ranks = depth * evidence.n_topics
        mean = share.mean(axis=0) / ranks
        moved = change.mean(axis=0) / ranks / len(evidence.contributors)
        return [
            f"{self}: assumes that a new run's unjudged documents are relevant as often as those "
            "that it moves into the pooled runs' first ranks are unjudged",
            f"of the new runs' first {depth}, {mean[0]:.4f} are relevant, {mean[1]:.4f} "
            f"non-relevant and {mean[2]:.4f} unjudged; they change the pooled runs' shares by "
            f"{moved[0]:+.4f}, {moved[1]:+.4f} and {moved[2]:+.4f}",
        ]

    def _shares(self, evidence: PoolBias) -> tuple[Int64s, Int64s]:
        """Counts of relevant, non-relevant, unjudged in the new runs, and their total changes."""
        measure, judgments = self._precision(evidence), evidence.judgments
        label = np.where(judgments.judged, np.where(judgments.grade >= measure.rel, 0, 1), 2)
        label = np.append(label, 3).astype(np.int16)
        share = _counts(evidence.new_runs(measure.k), label)
        before = _counts(evidence.contributors.top(measure.k), label).sum(axis=0)
        tops = reordered(evidence, measure.k, self.merge)
        after = np.stack([np.bincount(label[top].ravel(), minlength=4)[:3] for top in tops])
        return share, after - before


def _counts(runs: Runs, label: Int16s) -> Int64s:
    """Entries of each run with label 0, 1 and 2."""
    cell = runs.entries.run * 4 + label[runs.pair]
    return np.bincount(cell, minlength=4 * len(runs.names)).reshape(-1, 4)[:, :3]


def reordered(evidence: PoolBias, depth: int, merge: str) -> list[Int32s]:
    """For each new run, the pairs in the pooled runs' first ranks after re-ordering.

    Padded with the number of pairs where lists are short. It depends on no judgment, so all pools
    of the same runs share it.
    """
    kept = evidence.contributors.kept
    key = ("reordered", evidence.new_names, depth, merge)
    if key not in kept:
        pair = _matrix(evidence.contributors.runs)
        kept[key] = [_tops(pair, rank, depth, merge) for rank in evidence.new_ranks()]
    tops: list[Int32s] = kept[key]
    return tops


def _matrix(runs: Runs) -> Int32s:
    """Lists as rows, padded with the number of pairs."""
    length = runs.length.ravel()
    wide = np.full((len(length), int(length.max(initial=1))), len(runs.pairs), np.int32)
    wide[np.arange(wide.shape[1]) < length[:, None]] = runs.pair
    return wide


def _tops(pair: Int32s, rank: Int32s, depth: int, merge: str) -> Int32s:
    """The first `depth` of every row, once shared documents have their new ranks."""
    rank = np.append(rank, np.int32(UNRANKED))
    n, width = pair.shape
    if width <= depth:
        return pair
    old = np.arange(1, width + 1)
    found = []
    for first in range(0, n, max(1, CELLS // width)):
        rows = pair[first : first + max(1, CELLS // width)]
        theirs = rank[rows].astype(np.int64)
        moved = 2 * theirs if merge == "replace" else theirs + old
        # Twice the new rank is whole; behind it the old rank settles ties; padding comes last.
        new = np.where(theirs == UNRANKED, 2 * old, moved) * (width + 1) + old
        new[rows == len(rank) - 1] = np.iinfo(np.int64).max
        best = np.argpartition(new, depth - 1, axis=1)[:, :depth]
        found.append(np.take_along_axis(rows, best, axis=1))
    return np.concatenate(found)
