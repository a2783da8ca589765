"""Bias inferred from the pooled runs: each is withdrawn from the pool in turn."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters, evaluation_depth, mean_scores
from leadline.adjusters.pool_bias import PoolBias
from leadline.measures.measure import Measure
from leadline.tables.arrays import Floats, Int32s


@adjusters.register
@dataclass(frozen=True)
class Systems(Adjuster):
    """What the pooled runs lose on average when the new run takes their place in the pool.

    Formula: adjusted = u_r + mean over pooled s of (p_s - u_s)

    p_s is the mean score of s, u_s its mean score without the judgments of documents that only s
    brought to the pool; a document that the new run r also has above the pool's depth stays judged.
    Unjudged documents are treated as the measure does, on raw or on condensed lists. It supposes
    that the new run is a run like the others: one that finds documents of a new kind is
    put right by far too little.

    Webber and Park, Score adjustment for correction of pooling bias, SIGIR 2009, Algorithm 1.
    """

    def amounts(self, measure: Measure, case: PoolBias) -> Floats:
        """The mean loss of the pooled runs, for each new run that takes their place."""
        new = range(len(case.field.new.names))
        ranks = (case.field.rank_in(run) for run in new)
        return np.array([losses(measure, case, rank).mean() for rank in ranks], np.float64)

    def explain(self, measure: Measure, case: PoolBias) -> list[str]:
        """Of the losses without anybody in their place."""
        return [
            "Systems: assumes that a new run loses by not being pooled what the pooled runs would "
            "lose, had it been pooled in their place",
            spread(losses(measure, case, None)),
        ]


@adjusters.register
@dataclass(frozen=True)
class WebberRuns(Adjuster):
    """What the pooled runs lose on average when they are withdrawn from the pool.

    Formula: adjusted = u_r + mean over pooled s of (g(s, Q) - g(s, Q without s))

    As Systems, but nobody takes the place of the run that is withdrawn, so the correction is the
    same for all new runs and a little larger. Nothing is clipped: a score may exceed 1.

    Lipani, Lupu and Hanbury, The curious incidence of bias corrections in the pool, ECIR 2016,
    Eq. 2, which prints the new run where the withdrawn one is meant.
    """

    def amounts(self, measure: Measure, case: PoolBias) -> Floats:
        """The mean loss of the pooled runs, the same for every new run."""
        return np.full(len(case.field.new.names), losses(measure, case, None).mean())

    def explain(self, measure: Measure, case: PoolBias) -> list[str]:
        """Of the losses."""
        return [
            "WebberRuns: assumes that a new run loses by not being pooled what the pooled runs "
            "lose when they are withdrawn",
            spread(losses(measure, case, None)),
        ]


def losses(measure: Measure, case: PoolBias, replaced_by: Int32s | None) -> Floats:
    """What each pooled run's mean score loses when it is withdrawn."""
    depth = evaluation_depth(measure)
    pooled = measure.score(case.lists(depth)).value
    alone = measure.score(case.withdrawn(replaced_by, depth)).value
    lost = mean_scores(pooled - alone)
    return np.where(np.isnan(lost), 0.0, lost)


def spread(lost: Floats) -> str:
    """Least, mean and most of the losses, in words."""
    return (
        f"withdrawn in turn, {len(lost)} pooled runs lose {lost.mean():.4f} on average "
        f"({lost.min():.4f} to {lost.max():.4f})"
    )
