"""The relevance model as an estimator and as an adjuster: scores over its completions."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from leadline.completions.adjuster import (
    Adjusted,
    Adjuster,
    RunDifferences,
    UnpooledRuns,
    adjusters,
    inside_certain,
    unjudged_doubts,
    unjudged_share,
)
from leadline.completions.coverage import shape_doubts
from leadline.completions.draw import N_DRAWS, Completions
from leadline.completions.drawn_scores import DrawnScores, drawable
from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.completions.features import likeness
from leadline.completions.model import RelevanceModel
from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.runs import UNRANKED
from leadline.io.problems import Progress

ALIKE = (
    "all judged documents have the same grade, so the model cannot estimate how unjudged ones vary"
)

RANKS = (0, 1, 3, 7, 10, 20, 30, 50, 100)
"""The best rank of a document lies between two of these, the second one included."""

MOST_DEVIATIONS, MOST_TIMES, FEW_RELEVANT = 3.0, 1.5, 10
"""So far may the number of relevant documents lie from the expected one: both at once. Where fewer
are found and expected, nothing is concluded."""


def relevance_model(
    evidence: TrainingData, *, text: bool = False, deep: int = 100
) -> RelevanceModel:
    """Return the model of some evidence, fitted once for all measures."""
    features = {}
    if text:
        if evidence.words is None:
            raise ValueError("Regression(text=true) needs the documents: name them with --docs")
        alike = likeness(evidence.words, evidence.runs.pairs, evidence.judgments)
        features = {"likeness": alike}
    return RelevanceModel.of(
        evidence.runs, evidence.judgments, evidence.pooled_runs.mask, features, deep
    )


def fit_doubts(model: RelevanceModel) -> tuple[str, ...]:
    """Return why the model cannot be relied on: at some ranks it is far from what it learnt from.

    For documents by their best rank in pooled runs, and every grade: the number that reach it
    against the sum of their probabilities. A pool that was judged to some rank and filled up below
    with grades of 0 shows a step there, which no model of ranks has.
    """
    from scipy.special import expit

    for step in model.steps:
        p, best = expit(step.fitted_logit), model.design.best[step.pair]
        weight = step.sample.weight
        for above, last in pairwise(RANKS):
            rows = (best > above) & (best <= last)
            w, q = weight[rows], p[rows]
            total = float(w.sum())
            n, expected = float(w @ step.outcome[rows]), float(w @ q)
            spread = float(w @ (q * (1 - q)) + (w * (w - 1)) @ q**2) ** 0.5
            near = expected / MOST_TIMES <= n <= expected * MOST_TIMES
            if (
                max(n, expected) < FEW_RELEVANT
                or near
                or abs(n - expected) <= MOST_DEVIATIONS * spread
            ):
                continue
            where = f"ranks {above + 1} to {last}" if last > above + 1 else f"rank {last}"
            return (
                f"{n / total:.1%} of the judged documents whose best rank is at {where} have "
                f"grade {step.least} or more, where the model expects {expected / total:.1%}: "
                "no prediction interval; if judgments were filled up with grades of 0 there, use "
                "only those that people made",
            )
    return ()


FEWEST_JUDGED = 20
"""With fewer judged documents no interval is offered."""

MOST_OUTSIDE = 0.3
"""So many of the judged documents may be such that no pooled run returns them."""


def model_doubts(evidence: TrainingData, model: RelevanceModel) -> tuple[str, ...]:
    """Return why no prediction interval is offered, in any verb; empty where one is."""
    judged = evidence.judgments.judged
    if not judged.any():
        return ("nothing is judged, so nothing can be learnt",)
    if judged.sum() < FEWEST_JUDGED:
        return (f"only {judged.sum()} documents are judged: no prediction interval",)
    outside = float((evidence.pooled_runs.runs.best_rank[judged] == UNRANKED).mean())
    if outside > MOST_OUTSIDE:
        return (
            f"{outside:.0%} of the judged documents are returned by none of the runs that were "
            "pooled, so other runs were pooled than those at hand: give these too",
        )
    return shape_doubts(evidence) or fit_doubts(model)


@estimators.register
@dataclass(frozen=True)
class Regression(Estimator):
    """Mean score over completions drawn from the relevance model.

    Formula: logit P(grade >= g) = level + rank features + run, group, topic and list effects

    One hierarchical model of the whole collection gives every unjudged document that some run
    returns in its first `deep` ranks a probability of each grade; see `RelevanceModel`. `draws`
    completions are drawn with `seed`, the same in every verb: the estimate is the mean of the
    scores, the prediction interval holds 95% of them. With text=true the words of a document count
    too: how much it reads like the topic's judged relevant documents, and like the others. Ranks
    beyond the end of a list add nothing. Judgments that are neither a pool nor a sample, or that
    the model does not fit at some ranks, have no interval.

    Beyond the papers: see docs/methods/regression.md.
    """

    draws: int = N_DRAWS
    seed: int = 0
    text: bool = False
    deep: int = 100

    any_measure = True
    joint = True

    def __post_init__(self) -> None:
        if self.draws < 2:
            raise ValueError(f"draws must be 2 or more, not {self.draws}")
        if self.deep < 1:
            raise ValueError(f"deep must be at least 1, not {self.deep}")

    @property
    def reads(self) -> bool:
        """With text=true."""
        return self.text

    def completions(self, evidence: TrainingData) -> tuple[Completions, tuple[str, ...]]:
        """Return the draws for some evidence, and why their spread is not to be relied on."""
        model = relevance_model(evidence, text=self.text, deep=self.deep)
        return model.draw(self.draws, self.seed), model_doubts(evidence, model)

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """Return the mean gain of every document over the completions."""
        completions, doubts = self.completions(evidence)
        runs = evidence.runs
        guess = completions.mean_gain(evidence.gain_table)[runs.pair]
        drawn = completions.scores(evidence.weighted)
        error = None if doubts else drawn.std(axis=0, ddof=1)
        filled = evidence.filled(guess, 0.0, error)
        value = evidence.weighted_sums(filled.gain).mean(axis=1)
        of_mean = MeanEstimate.of_draws(value, drawn.mean(axis=2))
        if doubts:
            of_mean = of_mean.withhold(doubts[0])
        return EstimatedGains(evidence, filled.gain, filled.tail, error, of_mean, doubts)

    def drawn(self, evidence: TrainingData) -> DrawnScores:
        """Return the scores of every completion."""
        completions, doubts = self.completions(evidence)
        return DrawnScores(evidence, completions.scores(evidence.measure), doubts)


@adjusters.register
@dataclass(frozen=True)
class RegressionAdjuster(Adjuster):
    """Mean score of unpooled runs over completions drawn from the relevance model.

    Formula: adjusted = mean over completions of the score of the run

    The model and the draws are those of the estimator Regression. Only pooled runs tell how ranks
    relate to relevance; documents that an unpooled group alone returns differ from what pooled runs
    say of them by effects that are learnt from pooled groups, each left out in turn.

    Beyond the papers: see docs/methods/regression.md.
    """

    joint = True

    draws: int = N_DRAWS
    seed: int = 0

    @classmethod
    def registered_name(cls) -> str:
        return "Regression"

    def check(self, evidence: UnpooledRuns) -> None:
        """Refuse measures without bounds, and evidence without judgments."""
        if not drawable(evidence.measure):
            raise ValueError(
                f"Regression needs a measure that judgments bound, not {evidence.measure}: "
                "RBP(p=0.8), P@10, nDCG@10, AP, Recall@10, RR or ERR@20 for instance; "
                "WebberSystems and "
                "WebberLeaveOneOut take any"
            )
        if not evidence.judgments.judged.any():
            raise ValueError("nothing is judged, so nothing can be learnt")

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        """Return what the expected gains of unjudged documents add."""
        unadjusted = evidence.measure.score(evidence.new_lists()).mean()
        expected: Floats = self._means(evidence, _new(evidence)).mean(axis=0)
        return expected - unadjusted

    def corrected(
        self, evidence: UnpooledRuns, random: np.random.Generator, progress: Progress | None
    ) -> Adjusted:
        """Return the adjusted scores; prediction intervals hold 95% of the completions."""
        scores = evidence.measure.score(evidence.new_lists())
        share, unadjusted = unjudged_share(evidence), scores.mean()
        means = self._means(evidence, _new(evidence))
        model = relevance_model(evidence)
        value: Floats = means.mean(axis=0)
        of_mean = MeanEstimate.of_draws(value, means)
        doubts = [[*unjudged_doubts(of_run), *model.caveats] for of_run in share]
        reasons = model_doubts(evidence, model)
        error, (low, high) = of_mean.standard_error, of_mean.interval()
        unseen, most = _unseen_weights(evidence, model)
        for run in np.flatnonzero(share):
            if unseen[run] > most:
                doubts[run].append(
                    f"documents that no pooled run returns weigh {unseen[run]:.3f} in its score, "
                    f"and at most {most:.3f} in that of a pooled group left out of the pool: no "
                    "such run was there to check the interval"
                )
        best_pooled = float(self._means(evidence, _pooled(evidence)).mean(axis=0).max())
        for run in np.flatnonzero((share > 0) & (high > best_pooled)):
            doubts[run].append(
                f"it may score above {best_pooled:.3f}, the best pooled run's score: intervals of "
                "such runs held too seldom in simulation"
            )
        if not _differ(evidence):
            reasons = (f"{ALIKE}: no prediction interval, only bounds",)
        if reasons:
            error = low = high = np.full(len(value), np.nan)
            doubts = [[*of_run, *reasons] for of_run in doubts]
        low, high = inside_certain(low, high, scores)
        return Adjusted(
            scores.runs,
            str(evidence.measure),
            str(self),
            unadjusted,
            value - unadjusted,
            error,
            scores.mean_lower(),
            scores.mean_upper(),
            low,
            high,
            share,
            tuple(map(tuple, doubts)),
            tuple(self.explain(evidence)),
        )

    def differences(
        self, evidence: UnpooledRuns, adjusted: Adjusted, random: np.random.Generator
    ) -> RunDifferences:
        """Return the differences of new runs from each other and from every pooled run."""
        if not _differ(evidence):
            raise ValueError(f"{ALIKE}: there is no error of differences")
        for doubt in model_doubts(evidence, relevance_model(evidence)):
            raise ValueError(f"no error of differences: {doubt}")
        names = evidence.runs.names
        new = _new(evidence)
        order = np.append(new, _pooled(evidence))
        means = self._means(evidence, order)
        return RunDifferences(
            tuple(names[run] for run in order),
            len(new),
            adjusted.measure,
            adjusted.adjuster,
            MeanEstimate.of_draws(means.mean(axis=0), means),
            adjusted.doubts,
        )

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        """Say what is assumed and learnt."""
        judged = evidence.judgments.judged & (evidence.runs.best_rank < UNRANKED)
        n_open = len(relevance_model(evidence).open)
        return [
            "Regression: assumes that documents which the pooled runs rank alike are relevant "
            "alike, but for effects of groups, runs and topics learnt from judged documents",
            f"learnt from {int(judged.sum()):,} judged documents; {n_open:,} documents are "
            f"unjudged; prediction intervals hold 95% of {self.draws} completions",
        ]

    def _means(self, evidence: UnpooledRuns, runs: Int64s) -> Floats:
        """[draws, runs] of mean scores."""
        completions = relevance_model(evidence).draw(self.draws, self.seed)
        return np.nan_to_num(completions.means(evidence.measure, evidence.runs.only(runs)))


def _new(evidence: UnpooledRuns) -> Int64s:
    names = evidence.runs.names
    return np.array([names.index(name) for name in evidence.new_names], np.int64)


def _pooled(evidence: UnpooledRuns) -> Int64s:
    names = evidence.runs.names
    return np.array([names.index(name) for name in evidence.pooled_runs.runs.names], np.int64)


def _differ(evidence: TrainingData) -> bool:
    """Return whether some judged documents are relevant and some are not."""
    relevant = evidence.judgments.grade[evidence.judgments.judged] > 0
    return bool(relevant.any() and not relevant.all())


def _unseen_weights(evidence: UnpooledRuns, model: RelevanceModel) -> tuple[Floats, float]:
    """Return the weight of documents that no pooled run returns in the score of each new run.

    Beside it the most that documents which no other group returns weigh in that of a pooled run.
    """
    depth = min(evidence.drawn.depth, evidence.measure.depth or evidence.drawn.depth)
    runs = evidence.new_runs(depth)
    weight = _weight_of(evidence, runs.entries.rank) * (model.design.best[runs.pair] == UNRANKED)
    unseen = np.bincount(runs.entries.run, weight, len(runs.names)) / evidence.n_topics
    pooled = evidence.pooled_runs.top(depth)
    alone = _only_group(pooled.pair, pooled.group_number[pooled.entries.run], len(pooled.pairs))
    weight = _weight_of(evidence, pooled.entries.rank) * alone[pooled.pair]
    own = np.bincount(pooled.entries.run, weight, len(pooled.names)) / evidence.n_topics
    return unseen, float(own.max(initial=0.0)) + 1e-9


def _weight_of(evidence: UnpooledRuns, rank: Int32s) -> Floats:
    numerator = evidence.measure.numerator
    if numerator is None:
        return np.ones(len(rank))
    weight: Floats = numerator.weights(int(rank.max(initial=1)))[rank - 1]
    return weight


def _only_group(pair: Int32s, group: Int64s, n_pairs: int) -> Bools:
    """Return which pairs one group alone returns."""
    least = np.full(n_pairs, np.iinfo(np.int64).max)
    most = np.full(n_pairs, -1)
    np.minimum.at(least, pair, group)
    np.maximum.at(most, pair, group)
    only: Bools = least == most
    return only
