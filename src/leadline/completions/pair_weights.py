"""What every pair weighs in every run's mean score, so that scores are sums over pairs."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from leadline.completions.estimator import PooledRuns
from leadline.completions.features import FLOOR, RankFeatures
from leadline.data.arrays import Floats, Int64s, read_only
from leadline.data.draw import draw_bytes, name_bytes
from leadline.data.runs import Runs
from leadline.measures.measure import Weighted

NEGLIGIBLE_WEIGHT = 1e-3
"""Ranks that together weigh no more than this, in an endless list, are not looked at."""

N_FOLDS = 10
FOLD_BATCH = -1
"""Folds come from a draw of their own, independent of every batch."""


def last_rank(measure: Weighted, longest: int) -> int:
    """The last rank that a measure looks at in lists of this length, but for a negligible weight.

    >>> from leadline.measures.measure import parse_measure
    >>> last_rank(parse_measure("P@10"), 1000), last_rank(parse_measure("RBP(p=0.8)"), 1000)
    (10, 31)
    """
    weight = measure.weights(longest)
    beyond = weight[::-1].cumsum()[::-1] + measure.tail(np.array([longest]))[0]
    return max(1, int(np.count_nonzero(beyond > NEGLIGIBLE_WEIGHT)))


@dataclass(frozen=True, eq=False)
class PairWeights:
    """Score of run r = sum over pairs p of matrix[r, p] * gain of p.

    `pair` are the numbers, in ascending order, of the pairs that some run has where the measure
    looks; `matrix` [runs, pairs] is sparse: weight of the rank, divided by the number of topics.
    """

    runs: Runs
    pair: Int64s
    matrix: Any
    kept_folds: dict[int, Int64s] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Runs, measure: Weighted) -> "PairWeights":
        """Of all runs; worked out once for each measure."""
        if (cls, measure) not in runs.kept:
            runs.kept[cls, measure] = cls._of(runs, measure)
        weights: PairWeights = runs.kept[cls, measure]
        return weights

    @classmethod
    def _of(cls, runs: Runs, measure: Weighted) -> "PairWeights":
        from scipy.sparse import csr_array

        top = runs.cut(last_rank(measure, int(runs.length.max(initial=1))))
        pair, column = np.unique(top.pair, return_inverse=True)
        rank = top.entries.rank
        weight = measure.weights(int(rank.max(initial=1)))[rank - 1]
        shape = (len(runs.names), len(pair))
        share = weight / max(len(runs.pairs.topics), 1)
        matrix = csr_array((share, (top.entries.run, column)), shape=shape)
        return cls(runs, pair.astype(np.int64), matrix)

    @cached_property
    def topic(self) -> Int64s:
        """The topic of each pair."""
        return self.runs.pairs.topic[self.pair].astype(np.int64)

    @cached_property
    def feature(self) -> Floats:
        """[pairs, features]: what the ranks of all runs, and noisy judges, say of each pair."""
        return self.feature_by(PooledRuns(self.runs, np.ones(len(self.runs.names), np.bool_)))

    def feature_by(self, runs: PooledRuns) -> Floats:
        """The features by the ranks of some runs.

        Each of mean 0 and deviation 1 over the pairs that these have where the measure looks: what
        is drawn has no part in that.
        """
        every, labels = np.ones(len(runs)), self.runs.pairs.labels
        feature = RankFeatures(runs.postings, every, FLOOR, labels=labels)[self.pair]
        theirs = feature[self.matrix[runs.mask].sum(axis=0) > 0]
        if len(theirs):
            deviation = theirs.std(axis=0)
            feature -= theirs.mean(axis=0)
            feature /= np.where(deviation > 0, deviation, 1.0)
        return feature

    @cached_property
    def names(self) -> list[bytes]:
        """Topic and document of each pair, as they are drawn by."""
        return name_bytes(zip(*self.runs.pairs.names(self.pair), strict=True))

    def folds(self, seed: int) -> Int64s:
        """To which of the folds each pair belongs, by a draw that no batch has a part in."""
        if seed not in self.kept_folds:
            fold = (draw_bytes(seed, self.names, FOLD_BATCH) * N_FOLDS).astype(np.int64)
            self.kept_folds[seed] = read_only(fold)
        return self.kept_folds[seed]

    def scores(self, gain: Any) -> Floats:
        """The mean score of every run if the pairs have these gains."""
        score: Floats = self.matrix @ gain
        return score

    @cached_property
    def by_pair(self) -> tuple[Any, Any]:
        """[pairs, runs]: the weights and their squares, quick to add up pair by pair."""
        turned = self.matrix[self.name_order].T.tocsr()
        return turned, turned.power(2)

    @cached_property
    def name_order(self) -> Int64s:
        """The runs in the order of their names: sums are the same in whatever order they come."""
        return np.argsort(np.array(self.runs.names), kind="stable")

    def spread(self, share: Floats) -> Floats:
        """How far apart runs weigh a pair: the root of the mean over runs of (W_r - mean W)^2.

        `share` tells how much each run counts; the mean difference of two of them is twice that.
        Several columns of shares give several columns of spreads.
        """
        weight, square = self.by_pair
        share = share[self.name_order]
        share = share / share.sum(axis=0)
        mean = weight @ share
        spread: Floats = np.sqrt(np.maximum(square @ share - mean**2, 0.0))
        return spread

    @cached_property
    def reach(self) -> Floats:
        """The most that a pair weighs in a run."""
        reach: Floats = self.matrix.max(axis=0).toarray().ravel()
        return reach

    def size(self) -> Floats:
        """How much a pair weighs: the root of the mean over runs of W_r^2."""
        n_runs = max(self.matrix.shape[0], 1)
        size: Floats = np.sqrt(self.by_pair[1].sum(axis=1) / n_runs)
        return size
