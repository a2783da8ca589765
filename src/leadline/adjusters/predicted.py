"""Gains of unjudged documents predicted from what the pooled runs say of them."""

from dataclasses import dataclass

import numpy as np

from leadline.adjusters.adjusted import Adjusted, inside_certain, unjudged_doubts, unjudged_share
from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.adjusters.predicted_draws import PredictedDraws
from leadline.adjusters.prediction import Prediction
from leadline.adjusters.run_differences import RunDifferences
from leadline.adjusters.told_errors import ToldErrors, unseen_weight
from leadline.estimators.drawn_scores import drawable
from leadline.files.problems import Progress
from leadline.tables.arrays import Floats
from leadline.tables.mean_estimate import MeanEstimate

SEED = 0
ASSUMES = (
    "Predicted: assumes that documents which the pooled runs rank alike are relevant alike, but "
    "for a level of each new run, learnt from its judged documents"
)


@adjusters.register
@dataclass(frozen=True)
class Predicted(Adjuster):
    """The gains that a new run's unjudged documents are expected to have, learnt from the judged.

    Formula: adjusted = u_r + mean over topics of sum over unjudged ranks i of weight(i) * E[gain]

    One penalised logistic regression for the whole collection tells how the ranks that the pooled
    runs give a document relate to its relevance. The new run's own ranks are no evidence, so it
    cannot vouch for what it returns; but if those of its documents that are judged are better than
    the model says, its others are taken to be so twice as much, since these are its own. Ranks
    beyond the end of a list add nothing.

    So for measures that are sums over ranks of weight times gain. Others that have an interval, as
    nDCG and AP, are scored in draws of all grades, and adjusted is their mean.

    Beyond the papers: see docs/methods/regression.md.
    """

    def check(self, evidence: PoolBias) -> None:
        """Only what grades alone tell can take drawn ones; something must be judged."""
        if not drawable(evidence.measure):
            raise ValueError(
                f"Predicted needs a measure that judgments bound, not {evidence.measure}: "
                "RBP(p=0.8), P@10, nDCG@10, AP, Recall@10, RR or ERR@20 for instance; Systems and "
                "WebberRuns take any"
            )
        if not evidence.judgments.judged.any():
            raise ValueError("nothing is judged, so nothing can be learnt")

    def amounts(self, evidence: PoolBias) -> Floats:
        """The weighted sum of predicted gains over each new run's unjudged ranks."""
        if not _sums_gains(evidence):
            unadjusted = evidence.measure.score(evidence.new_lists()).mean()
            return PredictedDraws.of(evidence, SEED).expected - unadjusted
        return Prediction.of(evidence).amounts()

    def corrected(
        self, evidence: PoolBias, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Scores with intervals that mean the complete score: 1.96 standard errors each way.

        The error comes from joint draws of the model and of each new run's level, and from the
        chance in each document, as that of Regression does. Where pooled groups, each taken for new
        in turn, are further off than it says, it is so many times larger.
        """
        scores = evidence.measure.score(evidence.new_lists())
        share, unadjusted = unjudged_share(evidence), scores.mean()
        doubts, enlarged = [unjudged_doubts(each) for each in share], 1.0
        if _sums_gains(evidence):
            prediction = Prediction.of(evidence)
            amount = prediction.amounts()
            shown = ToldErrors.of(evidence, progress)
            enlarged = shown.factor
            covariance = prediction.covariance(random, enlarged)
            means = MeanEstimate(unadjusted + amount, covariance)
            error, margin = means.standard_error, means.margin()
            told = [*self._explained(evidence, prediction.gain), *shown.words()]
            unseen = unseen_weight(evidence, ~evidence.judgments.judged)
            for run in np.flatnonzero(share):
                doubts[run] += shown.doubts(unseen[run])
        else:
            draws = PredictedDraws.of(evidence, int(random.integers(2**31)))
            amount = draws.expected - unadjusted
            error = margin = np.full(len(unadjusted), np.nan)
            told = [ASSUMES, "scored in draws of all unjudged grades, the ideal worked out anew"]
            doubts = [[*each, *draws.doubts] for each in doubts]
        middle = unadjusted + amount
        low, high = inside_certain(middle - margin, middle + margin, scores)
        return Adjusted(
            scores.runs,
            str(evidence.measure),
            str(self),
            unadjusted,
            amount,
            error,
            low,
            high,
            share,
            tuple(map(tuple, doubts)),
            tuple(told),
            enlarged,
        )

    def differences(
        self, evidence: PoolBias, adjusted: Adjusted, random: np.random.Generator
    ) -> RunDifferences:
        """Of every two new runs, and of each and every pooled one: their complete scores.

        A pooled run's unjudged documents have the gains that the same model expects, with a level
        of the run as Regression has it.
        """
        if not _sums_gains(evidence):
            raise ValueError(
                f"no error of {evidence.measure} was shown to hold for runs that were not pooled, "
                "so none of differences: RBP(p=0.8), P@10 and SDCG@100 have one"
            )
        prediction = Prediction.of(evidence, beside=True)
        judged = np.append(adjusted.unadjusted, evidence.measure.score(evidence.lists).mean())
        covariance = prediction.covariance(random, adjusted.enlarged)
        return RunDifferences(
            prediction.names,
            len(prediction.new),
            adjusted.measure,
            adjusted.adjuster,
            MeanEstimate(judged + prediction.amounts(), covariance),
            adjusted.doubts,
        )

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the model."""
        if not _sums_gains(evidence):
            return [ASSUMES]
        return self._explained(evidence, Prediction.of(evidence).gain)

    def _explained(self, evidence: PoolBias, expected: Floats) -> list[str]:
        gain = evidence.known_gain[evidence.judgments.judged]
        mean = float(expected.mean()) if len(expected) else 0.0
        return [
            ASSUMES,
            f"learnt from {len(gain):,} judged documents with a mean gain of {gain.mean():.4f}; "
            f"the new runs' {len(expected):,} unjudged ones are expected to have {mean:.4f}",
            "its interval is 1.96 standard errors of the complete score each way",
        ]


def _sums_gains(evidence: PoolBias) -> bool:
    """Whether expected gains give the expected score; what divides by an ideal needs draws."""
    return evidence.measure.numerator is evidence.measure
