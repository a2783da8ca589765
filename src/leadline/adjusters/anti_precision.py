"""Lipani's correction of precision, from what a new run does to the pooled ones."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias, PooledAndNew
from leadline.measures.measure import Measure
from leadline.measures.precision import P
from leadline.pools.without import NOWHERE
from leadline.tables.arrays import Floats, Int32s, Int64s
from leadline.tables.runs import Runs

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

    def check(self, measure: Measure, case: PoolBias) -> None:
        """Only precision at a depth has its anti-precision."""
        if not isinstance(measure, P) or measure.judged_only:
            raise ValueError(f"{self} puts right P@n only, not {measure}: try Systems or Predicted")

    def amounts(self, measure: Measure, case: PoolBias) -> Floats:
        """K max(dK, 0) where the trigger is above 0."""
        share, change = self._shares(measure, case)
        # Counts, so that the sign of the trigger is exact; (P, A, K) are the columns.
        trigger = share[:, 2] * (change[:, 0] * share[:, 1] - change[:, 1] * share[:, 0])
        ranks = measure.depth * len(case.judgments.pairs.topics)  # type: ignore[operator]
        n_pooled = len(case.field.pooled.names)
        amount = share[:, 2] * np.maximum(change[:, 2], 0) / (ranks * ranks * n_pooled)
        return np.where(trigger > 0, amount, 0.0)

    def explain(self, measure: Measure, case: PoolBias) -> list[str]:
        """Of the changes."""
        share, change = self._shares(measure, case)
        ranks = measure.depth * len(case.judgments.pairs.topics)  # type: ignore[operator]
        mean = share.mean(axis=0) / ranks
        moved = change.mean(axis=0) / ranks / len(case.field.pooled.names)
        return [
            f"{self}: assumes that a new run's unjudged documents are relevant as often as those "
            "that it moves into the pooled runs' first ranks are unjudged",
            f"of the new runs' first {measure.depth}, {mean[0]:.4f} are relevant, {mean[1]:.4f} "
            f"non-relevant and {mean[2]:.4f} unjudged; they change the pooled runs' shares by "
            f"{moved[0]:+.4f}, {moved[1]:+.4f} and {moved[2]:+.4f}",
        ]

    def _shares(self, measure: Measure, case: PoolBias) -> tuple[Int64s, Int64s]:
        """Counts of relevant, non-relevant, unjudged in the new runs, and their total changes."""
        depth, rel = measure.depth, measure.rel  # type: ignore[attr-defined]
        assert depth is not None
        label = np.where(case.judgments.judged, np.where(case.judgments.grade >= rel, 0, 1), 2)
        label = np.append(label, 3).astype(np.int8)
        field = case.field
        share = _counts(field.cut_new(depth), label)
        before = _counts(field.cut(depth), label).sum(axis=0)
        tops = reordered(field, depth, self.merge)
        after = np.stack([np.bincount(label[top].ravel(), minlength=4)[:3] for top in tops])
        return share, after - before


def _counts(runs: Runs, label: Int64s) -> Int64s:
    """Entries of each run with label 0, 1 and 2."""
    run = np.repeat(np.arange(len(runs.names)), (runs.stop - runs.start).sum(axis=1))
    cell = run * 4 + label[runs.pair]
    return np.bincount(cell, minlength=4 * len(runs.names)).reshape(-1, 4)[:, :3]


def reordered(field: PooledAndNew, depth: int, merge: str) -> list[Int32s]:
    """For each new run, the pairs in the pooled runs' first ranks after re-ordering.

    Padded with the number of pairs where lists are short. It depends on no judgment, so all pools
    of the same runs share it.
    """
    key = ("reordered", depth, merge)
    if key not in field.known:
        pair = _matrix(field.cut(None))
        field.known[key] = [
            _tops(pair, field.rank_in(new), depth, merge) for new in range(len(field.new.names))
        ]
    tops: list[Int32s] = field.known[key]
    return tops


def _matrix(runs: Runs) -> Int32s:
    """Lists as rows, padded with the number of pairs."""
    length = (runs.stop - runs.start).ravel()
    wide = np.full((len(length), int(length.max(initial=1))), len(runs.pairs), np.int32)
    wide[np.arange(wide.shape[1]) < length[:, None]] = runs.pair
    return wide


def _tops(pair: Int32s, rank: Int32s, depth: int, merge: str) -> Int32s:
    """The first `depth` of every row, once shared documents have their new ranks."""
    rank = np.append(rank, np.int32(NOWHERE))
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
        new = np.where(theirs == NOWHERE, 2 * old, moved) * (width + 1) + old
        new[rows == len(rank) - 1] = np.iinfo(np.int64).max
        best = np.argpartition(new, depth - 1, axis=1)[:, :depth]
        found.append(np.take_along_axis(rows, best, axis=1))
    return np.concatenate(found)
