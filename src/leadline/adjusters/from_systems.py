"""Bias inferred from the pooled runs: each is withdrawn from the pool in turn."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats, Int32s
from leadline.tables.scores import mean_over_topics


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

    def amounts(self, evidence: PoolBias) -> Floats:
        """The mean loss of the pooled runs, for each new run that takes their place."""
        if isinstance(evidence.measure, Weighted) and not evidence.measure.judged_only:
            return mean_losses(evidence)
        ranks = evidence.new_ranks()
        return np.array([losses(evidence, rank).mean() for rank in ranks], np.float64)

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the losses without anybody in their place."""
        return [
            "Systems: assumes that a new run loses by not being pooled what the pooled runs would "
            "lose, had it been pooled in their place",
            spread(losses(evidence)),
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

    def amounts(self, evidence: PoolBias) -> Floats:
        """The mean loss of the pooled runs, the same for every new run."""
        return np.full(len(evidence.new_names), losses(evidence).mean())

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the losses."""
        return [
            "WebberRuns: assumes that a new run loses by not being pooled what the pooled runs "
            "lose when they are withdrawn",
            spread(losses(evidence)),
        ]


def losses(evidence: PoolBias, replaced_by: Int32s | None = None) -> Floats:
    """What each pooled run's mean score loses when it is withdrawn."""
    alone = evidence.measure.score(evidence.withdrawn(replaced_by)).value
    return np.nan_to_num(mean_over_topics(evidence.pooled - alone))


def mean_losses(evidence: PoolBias) -> Floats:
    """The mean of `losses` for each new run, of a weighted measure: sums need no scores again.

    A pair that one run alone brought to the pool is worth to it what its best rank weighs, and is
    lost with the run unless the new one would have brought it too.
    """
    ranks, drawn = evidence.best_ranks, evidence.drawn
    depth = min(drawn.depth, evidence.measure.depth or drawn.depth)
    weight = np.append(evidence.weighted.weights(depth), 0.0)
    worth = np.zeros(len(evidence.alone))
    pair = np.flatnonzero(evidence.alone)
    worth[pair] = weight[np.minimum(ranks.best[pair] - 1, depth)] * evidence.known_gain[pair]
    top = evidence.new_runs(drawn.depth)
    brought = drawn.member(np.minimum(ranks.second[top.pair], top.entries.rank), top.pair)
    kept = np.bincount(top.entries.run, worth[top.pair] * brought, len(top.names))
    lost: Floats = (worth.sum() - kept) / (len(evidence.contributors) * evidence.n_topics)
    return lost


def spread(lost: Floats) -> str:
    """Least, mean and most of the losses, in words."""
    return (
        f"withdrawn in turn, {len(lost)} pooled runs lose {lost.mean():.4f} on average "
        f"({lost.min():.4f} to {lost.max():.4f})"
    )
