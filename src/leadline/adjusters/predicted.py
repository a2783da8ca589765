"""Gains of unjudged documents predicted from what the pooled runs say of them."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.estimators.regression import learn
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats, Int64s


@adjusters.register
@dataclass(frozen=True)
class Predicted(Adjuster):
    """The gains that a new run's unjudged documents are expected to have, learnt from the judged.

    Formula: adjusted = u_r + mean over topics of sum over unjudged ranks i of weight(i) * E[gain]

    One penalised logistic regression for the whole collection tells how the ranks that the pooled
    runs give a document relate to its relevance. The new run's own ranks are no evidence, so it
    cannot vouch for what it returns; but if those of its documents that are judged are better than
    the model says, its others are taken to be so too. For measures that are sums over ranks of
    weight times gain; ranks beyond the end of a list add nothing.

    Beyond the papers: see docs/methods/regression.md.
    """

    def check(self, measure: Measure, case: PoolBias) -> None:
        """Only sums of gains can take predicted ones; something must be judged."""
        if not isinstance(measure, Weighted) or measure.judged_only:
            raise ValueError(
                f"Predicted needs a measure that is a sum of weighted gains, not {measure}: "
                "RBP(p=0.8), P@10, DCG@10 or SDCG@100 for instance"
            )
        if not case.judgments.judged.any():
            raise ValueError("nothing is judged, so nothing can be learnt")

    def amounts(self, measure: Measure, case: PoolBias) -> Floats:
        """The weighted sum of predicted gains over each new run's unjudged ranks."""
        found = self._open(measure, case)
        n = len(case.field.new.names)
        sums = np.bincount(found.run, weights=found.weight * found.gain, minlength=n)
        amount: Floats = sums / len(case.field.new.pairs.topics)
        return amount

    def explain(self, measure: Measure, case: PoolBias) -> list[str]:
        """Of the model."""
        assert isinstance(measure, Weighted)
        found = self._open(measure, case)
        judged = case.judgments.judged
        gain = measure.gain(case.judgments.max_grade)[case.judgments.grade[judged]]
        mean = float(found.gain.mean()) if len(found.gain) else 0.0
        return [
            "Predicted: assumes that documents which the pooled runs rank alike are relevant "
            "alike, but for a level of each new run, learnt from its judged documents",
            f"learnt from {len(gain):,} judged documents with a mean gain of {gain.mean():.4f}; "
            f"the new runs' {len(found.gain):,} unjudged ones are expected to have {mean:.4f}",
        ]

    def _open(self, measure: Measure, case: PoolBias) -> "_Open":
        assert isinstance(measure, Weighted)
        runs = case.field.cut_new(measure.depth)
        length = (runs.stop - runs.start).ravel()
        open_ = np.flatnonzero(~case.judgments.judged[runs.pair])
        rank = np.arange(len(runs.pair)) - np.repeat((runs.start).ravel(), length)
        run = np.repeat(np.arange(len(runs.names)), (runs.stop - runs.start).sum(axis=1))[open_]
        learnt = learn(case.field.known, case.field.pooled, case.judgments, measure)
        gain = learnt.gains_in(case.field.new, runs.pair[open_], run)
        return _Open(run, measure.weights(int(length.max(initial=1)))[rank[open_]], gain)


@dataclass(frozen=True, eq=False)
class _Open:
    """The unjudged ranks of the new runs: whose they are, what they weigh, what is expected."""

    run: Int64s
    weight: Floats
    gain: Floats
