"""Gains of unjudged documents predicted from what the pooled runs say of them."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.estimators.gain_model import fit_gain_model
from leadline.estimators.logistic import fit_levels
from leadline.estimators.rank_features import rank_features
from leadline.estimators.run_effects import EFFECT_DEPTH, RUN_SCALE, judged_tops
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats, Int32s

FLOOR = 0.01
"""Added to geometric sums, which would otherwise tell a document at rank 300 from one at 400."""


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

    def check(self, evidence: PoolBias) -> None:
        """Only sums of gains can take predicted ones; something must be judged."""
        measure = evidence.measure
        if not isinstance(measure, Weighted) or measure.judged_only:
            raise ValueError(
                f"Predicted needs a measure that is a sum of weighted gains, not {measure}: "
                "RBP(p=0.8), P@10, DCG@10 or SDCG@100 for instance"
            )
        if not evidence.judgments.judged.any():
            raise ValueError("nothing is judged, so nothing can be learnt")

    def amounts(self, evidence: PoolBias) -> Floats:
        """The weighted sum of predicted gains over each new run's unjudged ranks."""
        unjudged = self._unjudged(evidence)
        worth = unjudged.weight * unjudged.gain
        sums = np.bincount(unjudged.run, worth, len(evidence.new_names))
        amount: Floats = sums / evidence.n_topics
        return amount

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the model."""
        gain = evidence.known_gain[evidence.judgments.judged]
        expected = self._unjudged(evidence).gain
        mean = float(expected.mean()) if len(expected) else 0.0
        return [
            "Predicted: assumes that documents which the pooled runs rank alike are relevant "
            "alike, but for a level of each new run, learnt from its judged documents",
            f"learnt from {len(gain):,} judged documents with a mean gain of {gain.mean():.4f}; "
            f"the new runs' {len(expected):,} unjudged ones are expected to have {mean:.4f}",
        ]

    def _unjudged(self, evidence: PoolBias) -> "_Unjudged":
        teachers, judged = evidence.contributors, evidence.judgments.judged
        runs = evidence.new_runs(evidence.weighted.depth)
        entry = np.flatnonzero(~judged[runs.pair])
        pair, run = runs.pair[entry], runs.entries.run[entry]
        weights = evidence.weighted.weights(int(runs.length.max(initial=1)))
        known, of = judged_tops(evidence.new_runs(EFFECT_DEPTH), evidence.judgments)
        of = of // max(evidence.n_topics, 1)
        # No other pair has a say, and features are what takes longest.
        asked = judged.copy()
        asked[pair] = True
        pairs = np.flatnonzero(asked)
        feature = rank_features(teachers.postings_of(pairs), np.ones(len(teachers)), FLOOR)
        model = fit_gain_model(evidence, feature, pairs)
        row = np.searchsorted(pairs, known)
        effects = []
        for step in model.steps:
            said, true = step.logit[row], step.relevant[row]
            effect, _ = fit_levels(said, true, of, len(runs.names), RUN_SCALE)
            effects.append(effect[run])
        gain = model.gains(np.searchsorted(pairs, pair), effects)
        return _Unjudged(run, weights[runs.entries.rank[entry] - 1], gain)


@dataclass(frozen=True, eq=False)
class _Unjudged:
    """The unjudged ranks of the new runs: whose they are, what they weigh, what is expected."""

    run: Int32s
    weight: Floats
    gain: Floats
