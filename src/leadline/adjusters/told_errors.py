"""Whether the errors that a model tells are those of pooled groups, each taken for new in turn."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from leadline.adjusters.calibration import GroupsInTurn
from leadline.adjusters.pool_bias import PoolBias
from leadline.adjusters.prediction import Prediction
from leadline.files.problems import Progress
from leadline.tables.arrays import Bools, Floats
from leadline.tables.scores import SCORE_NOISE
from leadline.workers.workforce import current_workforce

MOST_GROUPS = 20
"""So many are taken for new where there are more: enough to tell how far off errors are."""

FEWEST_GROUPS = 3
"""With fewer nothing is known of how groups differ."""

AS_TOLD = 2
"""Imaginary groups that are as far off as was told: a few real ones may be so by chance."""

FURTHEST = 5.0
"""No group counts as further off than so many times what was told."""


@dataclass(frozen=True)
class PooledGroup:
    """A pooled group taken for new: how far off the scores of what it alone brought are.

    `square` is the mean over its runs of (error / told standard error)^2, `unseen` the most that
    documents which no other group's run returns weigh in the mean score of one of them.
    """

    square: float
    unseen: float


@dataclass(frozen=True)
class ToldErrors:
    """What pooled groups show of errors that are told of new runs."""

    groups: Sequence[PooledGroup]

    @classmethod
    def of(cls, evidence: PoolBias, progress: Progress | None = None) -> "ToldErrors":
        """By the groups that brought documents of their own, at most 20, evenly by their order."""
        n_groups = len(evidence.contributors.runs.groups)
        if n_groups < 2:
            return cls(())
        some = np.unique(np.linspace(0, n_groups - 1, min(n_groups, MOST_GROUPS)).round())
        shared, pieces = GroupsInTurn.of(evidence), some.astype(int).tolist()
        found: list[PooledGroup | None] = [None] * len(pieces)
        with closing(current_workforce().results(_left_out, shared, pieces)) as coming:
            for n_done, (at, group) in enumerate(coming, 1):
                found[at] = group
                if progress is not None:
                    progress(n_done, len(pieces))
        return cls([group for group in found if group is not None])

    @property
    def factor(self) -> float:
        """How many times as large as told the errors are taken to be; never less than 1.

        The root mean square of error / told error over groups, AS_TOLD imaginary ones among them,
        times Student's t by the normal quantile: the fewer groups, the less is known of it.

        >>> ToldErrors([PooledGroup(4.0, 0.1)] * 4).factor, ToldErrors([]).factor
        (2.162..., 1.0)
        """
        if not self.groups:
            return 1.0
        degrees = AS_TOLD + len(self.groups)
        square = sum(min(group.square, FURTHEST**2) for group in self.groups)
        wider = stdtrit(degrees, 0.975) / ndtri(0.975)
        return max(1.0, float(wider * np.sqrt((AS_TOLD + square) / degrees)))

    def words(self) -> list[str]:
        """What was seen of the errors."""
        n = len(self.groups)
        if not n:
            return ["no other group brought documents of its own, so nothing checks its error"]
        seen = np.sqrt(sum(group.square for group in self.groups) / n)
        return [
            f"taken for new in turn, {n} pooled groups are {seen:.2f} times as far off as the "
            f"model says; its errors are {self.factor:.2f} times the model's"
        ]

    def doubts(self, unseen: float) -> list[str]:
        """Why not to trust the error of a run in which unseen documents weigh so much."""
        n = len(self.groups)
        if n < FEWEST_GROUPS:
            return [f"only {n} pooled groups brought documents of their own to check its error by"]
        most = max(group.unseen for group in self.groups)
        # The same sums may differ in the last digit.
        if unseen <= most + SCORE_NOISE:
            return []
        return [
            f"documents that no pooled run returns weigh more in its score ({unseen:.3f}) than in "
            f"any run's of {n} pooled groups, each taken for new ({most:.3f}): its error was not "
            "checked for such a run"
        ]


def unseen_weight(evidence: PoolBias, among: Bools) -> Floats:
    """What documents that no contributing run returns weigh in the mean score of each new run.

    Of those that are so marked, down to the pool's depth.
    """
    runs = evidence.new_runs(evidence.drawn.depth).cut(evidence.weighted.depth)
    entry = np.flatnonzero(among[runs.pair])
    ends = evidence.contributors.postings_of(runs.pair[entry].astype(np.int64)).start
    nobody = ends[1:] == ends[:-1]
    weights = evidence.weighted.weights(int(runs.length.max(initial=1)))
    unseen = weights[runs.entries.rank[entry] - 1] * nobody
    total = np.bincount(runs.entries.run[entry], unseen, len(runs.names))
    weight: Floats = total / evidence.n_topics
    return weight


def _left_out(groups: GroupsInTurn, group: int) -> PooledGroup | None:
    """That group taken for new; None if it brought nothing that the measure sees."""
    left, lost = groups.new(group)
    own = Prediction.of(left, among=lost)
    some = own.mean(1.0) > 0
    if not some.any():
        return None
    off = own.amounts() - own.mean(groups.evidence.known_gain[own.pair])
    variance = np.diag(own.covariance(np.random.default_rng(0)))
    square = off[some] ** 2 / np.maximum(variance[some], 1e-18)
    return PooledGroup(float(square.mean()), float(unseen_weight(left, lost).max()))
