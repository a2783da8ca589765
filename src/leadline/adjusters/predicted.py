"""Gains of unjudged documents predicted from what the pooled runs say of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.adjusters.adjusted import Adjusted, inside_certain, unjudged_doubts, unjudged_share
from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.adjusters.predicted_draws import PredictedDraws
from leadline.estimators.drawn_scores import drawable
from leadline.estimators.gain_model import GainModel, fit_gain_model
from leadline.estimators.logistic import fit_levels, sigmoid
from leadline.estimators.rank_features import RankFeatures
from leadline.estimators.run_effects import (
    EFFECT_DEPTH,
    LIST_SCALE,
    NEW_RUN_MISFIT,
    RUN_SCALE,
    UNJUDGED_LEVEL,
    ListEffects,
    judged_tops,
)
from leadline.estimators.score_draws import UnjudgedEntries
from leadline.files.problems import Progress
from leadline.tables.arrays import Floats, Int64s

FLOOR = 0.01
"""Added to geometric sums, which would otherwise tell a document at rank 300 from one at 400."""

N_DRAWS = 200
Z95 = 1.96
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
        return self._prediction(evidence).amounts()

    def corrected(
        self, evidence: PoolBias, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Scores with intervals that mean the complete score: 1.96 standard errors each way.

        The error comes from joint draws of the model and of each new run's level, and from the
        chance in each document, as that of Regression does.
        """
        scores = evidence.measure.score(evidence.new_lists())
        share, unadjusted = unjudged_share(evidence), scores.mean()
        doubts: tuple[str, ...] = ()
        if _sums_gains(evidence):
            prediction = self._prediction(evidence)
            amount, error = prediction.amounts(), prediction.standard_error(random)
            told = self._explained(evidence, prediction.gain)
        else:
            draws = PredictedDraws.of(evidence, int(random.integers(2**31)))
            amount, error = draws.expected - unadjusted, np.full(len(unadjusted), np.nan)
            told = [ASSUMES, "scored in draws of all unjudged grades, the ideal worked out anew"]
            doubts = draws.doubts
        middle = unadjusted + amount
        low, high = inside_certain(middle - Z95 * error, middle + Z95 * error, scores)
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
            tuple((*unjudged_doubts(each), *doubts) for each in share),
            tuple(told),
        )

    def explain(self, evidence: PoolBias) -> list[str]:
        """Of the model."""
        if not _sums_gains(evidence):
            return [ASSUMES]
        return self._explained(evidence, self._prediction(evidence).gain)

    def _explained(self, evidence: PoolBias, expected: Floats) -> list[str]:
        gain = evidence.known_gain[evidence.judgments.judged]
        mean = float(expected.mean()) if len(expected) else 0.0
        return [
            ASSUMES,
            f"learnt from {len(gain):,} judged documents with a mean gain of {gain.mean():.4f}; "
            f"the new runs' {len(expected):,} unjudged ones are expected to have {mean:.4f}",
            "its interval is 1.96 standard errors of the complete score each way",
        ]

    def _prediction(self, evidence: PoolBias) -> "_Prediction":
        teachers, judged = evidence.contributors, evidence.judgments.judged
        runs = evidence.new_runs(evidence.weighted.depth)
        entry = np.flatnonzero(~judged[runs.pair])
        pair = runs.pair[entry]
        weights = evidence.weighted.weights(int(runs.length.max(initial=1)))
        known, of = judged_tops(evidence.new_runs(EFFECT_DEPTH), evidence.judgments)
        # No other pair has a say, and features are what takes longest.
        asked = judged.copy()
        asked[pair] = True
        pairs = np.flatnonzero(asked)
        feature = RankFeatures(teachers.postings_of(pairs), np.ones(len(teachers)), FLOOR)
        model = fit_gain_model(evidence, feature, pairs)
        row = np.searchsorted(pairs, known)
        of = of // max(evidence.n_topics, 1)
        levels = []
        for step in model.steps:
            told = step.logit[row], step.relevant[row]
            level, error = fit_levels(*told, of, len(runs.names), RUN_SCALE)
            unknown = np.hypot(NEW_RUN_MISFIT, level)
            levels.append((UNJUDGED_LEVEL * level, np.hypot(UNJUDGED_LEVEL * error, unknown)))
        entries = UnjudgedEntries(
            runs.entries.list[entry],
            weights[runs.entries.rank[entry] - 1],
            np.searchsorted(pairs, pair),
            runs.start.size,
        )
        return _Prediction(runs.names, evidence.n_topics, model, tuple(levels), entries)


def _sums_gains(evidence: PoolBias) -> bool:
    """Whether expected gains give the expected score; what divides by an ideal needs draws."""
    return evidence.measure.numerator is evidence.measure


@dataclass(frozen=True, eq=False)
class _Prediction:
    """What a model says of the unjudged ranks of the new runs.

    `levels` are each step's levels of the runs and their errors.
    """

    names: tuple[str, ...]
    n_topics: int
    model: GainModel
    levels: tuple[tuple[Floats, Floats], ...]
    entries: UnjudgedEntries

    @property
    def _run(self) -> Int64s:
        run: Int64s = self.entries.list // np.int64(max(self.n_topics, 1))
        return run

    @cached_property
    def gain(self) -> Floats:
        """The expected gain of every entry."""
        return self.model.gains(self.entries.row, [level[self._run] for level, _ in self.levels])

    def _mean(self, amount: Floats) -> Floats:
        sums = np.bincount(self._run, amount, len(self.names))
        mean: Floats = sums / self.n_topics
        return mean

    def amounts(self) -> Floats:
        """What the entries add to the mean score of each run."""
        return self._mean(self.entries.weight * self.gain)

    def standard_error(self, random: np.random.Generator) -> Floats:
        """Of these amounts: by draws of the model and of the runs' levels, and by chance."""
        entries, n_runs = self.entries, len(self.names)
        drawn = np.zeros((N_DRAWS, n_runs))
        square = np.zeros(len(entries.list))
        seed = random.integers(2**63)
        for step, (level, error) in zip(self.model.steps, self.levels, strict=True):
            again = np.random.default_rng(seed)
            models = step.drawn(N_DRAWS, again)
            unknown = np.full(entries.n_lists, LIST_SCALE)
            effects = ListEffects(np.zeros(0), error, unknown)
            moved = effects.drawn(self.names, N_DRAWS, again) + np.tile(models.level, n_runs)
            logit, shown = step.logit[entries.row] + level[self._run], step.standard(entries.row)
            sums = entries.drawn_sums(logit, shown, models.coefficient, moved)
            drawn += step.rise * sums.reshape(N_DRAWS, n_runs, -1).mean(axis=2)
            square += step.rise_of_square * sigmoid(logit)
        chance = np.maximum(square - self.gain**2, 0.0)
        alone = self._mean(entries.weight**2 * chance) / self.n_topics
        total: Floats = np.sqrt(drawn.var(axis=0, ddof=1) + alone)
        return total
