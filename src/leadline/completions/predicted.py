"""Gains of unjudged documents predicted from what the pooled runs say of them."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.adjuster import (
    Adjusted,
    Adjuster,
    PoolBias,
    RunDifferences,
    adjusters,
    inside_certain,
    unjudged_doubts,
    unjudged_share,
)
from leadline.completions.drawn_amounts import drawn_amounts
from leadline.completions.drawn_scores import drawable
from leadline.completions.level_spread import LevelSpread, unseen_weight
from leadline.completions.predicted_draws import PredictedDraws
from leadline.completions.prediction import Prediction
from leadline.data.arrays import Floats
from leadline.data.mean_estimate import MeanDraws
from leadline.io.problems import Progress

N_DRAWS = 1000
SEED = 0
ALIKE = "all judged documents are alike, so nothing tells how far from these others may be"
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
        """Scores with intervals that mean the complete score: 95 of 100 draws lie in them.

        Drawn are the model, the level of each new run, which lies as far from what is told as those
        of pooled groups do that are taken for new in turn, and every document.
        """
        scores = evidence.measure.score(evidence.new_lists())
        share, unadjusted = unjudged_share(evidence), scores.mean()
        doubts = [unjudged_doubts(each) for each in share]
        levels = None
        if _sums_gains(evidence):
            prediction = Prediction.of(evidence)
            amount = prediction.amounts()
            levels = LevelSpread.of(evidence, progress)
            means = _means(prediction, unadjusted, levels, random)
            error, (low, high) = means.standard_error, means.interval()
            told = [*self._explained(evidence, prediction.gain), *levels.words()]
            unseen = unseen_weight(evidence, ~evidence.judgments.judged)
            for run in np.flatnonzero(share):
                doubts[run] += levels.doubts(unseen[run])
            if not prediction.knows:
                error = low = high = np.full(len(unadjusted), np.nan)
                doubts = [
                    [*each, f"{ALIKE}: no prediction interval, only bounds"] for each in doubts
                ]
        else:
            draws = PredictedDraws.of(evidence, int(random.integers(2**31)))
            amount = draws.expected - unadjusted
            error = low = high = np.full(len(unadjusted), np.nan)
            told = [ASSUMES, "scored in draws of all unjudged grades, the ideal worked out anew"]
            doubts = [[*each, *draws.doubts] for each in doubts]
        low, high = inside_certain(low, high, scores)
        return Adjusted(
            scores.runs,
            str(evidence.measure),
            str(self),
            unadjusted,
            amount,
            error,
            scores.mean_lower(),
            scores.mean_upper(),
            low,
            high,
            share,
            tuple(map(tuple, doubts)),
            tuple(told),
            levels,
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
        if not prediction.knows:
            raise ValueError(f"{ALIKE}: there is no error of differences")
        judged = np.append(adjusted.unadjusted, evidence.measure.score(evidence.lists).mean())
        levels = adjusted.levels or LevelSpread.of(evidence)
        return RunDifferences(
            prediction.names,
            len(prediction.new),
            adjusted.measure,
            adjusted.adjuster,
            _means(prediction, judged, levels, random),
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
            f"its interval holds 95 of 100 of {N_DRAWS:,} draws of the complete score",
        ]


def _means(
    prediction: Prediction, judged: Floats, levels: LevelSpread, random: np.random.Generator
) -> MeanDraws:
    """Complete mean scores: as judged, and what unjudged documents add, told and drawn."""
    drawn = drawn_amounts(prediction, levels.drawn(N_DRAWS, random), random)
    return MeanDraws(judged + prediction.amounts(), judged + drawn)


def _sums_gains(evidence: PoolBias) -> bool:
    """Whether expected gains give the expected score; what divides by an ideal needs draws."""
    return evidence.measure.numerator is evidence.measure
