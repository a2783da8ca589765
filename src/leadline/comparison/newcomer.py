"""A new run against its baseline: what is judged, what is certain, and what is likely."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtr

from leadline.comparison.mean_doubt import MeanDoubt, TopicChance, WorstCompletion
from leadline.comparison.significance import moments
from leadline.comparison.sureness import Sureness, sureness_of
from leadline.estimators.drawn_grades import (
    MODEL_FACTOR,
    DrawnGrades,
    draw_coins,
    draw_grades,
)
from leadline.estimators.evidence import Evidence
from leadline.estimators.judged_shape import shape_doubts
from leadline.intervals.topic_differences import TopicDifferences, topic_differences
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Floats
from leadline.tables.runs import UNRANKED, Runs
from leadline.tables.scores import SCORE_NOISE, furthest_mean

N_DRAWS = 200
N_COINS = 100

MOST_OUTSIDE = 0.3
"""So many of the judged documents may be such that no contributing run returns them."""


def model_doubts(evidence: Evidence) -> tuple[str, ...]:
    """Why unjudged documents cannot be expected to be as a model of the judged ones says.

    That the judged documents are those of a pool of the runs at hand is what tells a newcomer's
    unjudged ones from them.
    """
    judged = evidence.judgments.judged
    if not judged.any():
        return ("nothing is judged, so nothing can be learnt",)
    best = evidence.contributors.runs.best_rank
    outside = float((best[judged] == UNRANKED).mean())
    if outside > MOST_OUTSIDE:
        return (
            f"{outside:.0%} of the judged documents are returned by none of the runs that were "
            "pooled, so other runs were pooled than those at hand: give these too",
        )
    return shape_doubts(evidence)


@dataclass(frozen=True, eq=False)
class Newcomer:
    """Two runs among those of the evidence, looked at to a depth, None for whole lists.

    With `model` unjudged documents are drawn from what the contributing runs teach, else anything
    may be true of them.
    """

    evidence: Evidence
    baseline: str
    new: str
    depth: int | None
    model: bool = True
    seed: int = 0

    @cached_property
    def runs(self) -> Runs:
        """The two: the baseline, then the new one."""
        names = self.evidence.runs.names
        places = np.array([names.index(self.baseline), names.index(self.new)], np.int64)
        return self.evidence.runs.only(places, self.depth)

    @cached_property
    def pooled(self) -> Bools:
        """Which of the two contributed to the pool."""
        mask, names = self.evidence.contributors.mask, self.evidence.runs.names
        return np.array([mask[names.index(name)] for name in self.runs.names], np.bool_)

    @cached_property
    def drawn(self) -> DrawnGrades:
        """Grades of their unjudged documents: by the model, or by coins where there is none."""
        if self.model:
            return draw_grades(self.evidence, self.runs, ~self.pooled, N_DRAWS, self.seed)
        return draw_coins(self.evidence, self.runs, N_COINS, self.seed)

    def differences(self, measure: Measure) -> TopicDifferences:
        """New minus baseline, by topic."""
        return topic_differences(self.runs, self.evidence.judgments, measure)

    def drawn_differences(self, measure: Measure) -> Floats:
        """[draws, topics]: new minus baseline in every draw, NaN where it is undefined."""
        scores = self.drawn.scores(measure)
        difference: Floats = scores[:, 1] - scores[:, 0]
        return difference


@dataclass(frozen=True, eq=False)
class MeanDifference:
    """The mean difference of new and baseline over some topics, with all that is known of it.

    `drawn` [draws, topics] are differences by a model, None without one.
    """

    differences: TopicDifferences
    drawn: Floats | None

    @cached_property
    def n_topics(self) -> int:
        """Topics on which both runs have a score."""
        return int((~np.isnan(self.differences.value)).sum())

    @cached_property
    def chance(self) -> TopicChance:
        """Over topics alone, with unjudged documents worthless."""
        return TopicChance.of(self.differences.value)

    @cached_property
    def both(self) -> MeanDoubt:
        """Over topics and unjudged documents together."""
        if self.drawn is None:
            return WorstCompletion(self.differences)
        return TopicChance.of_draws(self.drawn)

    @cached_property
    def certain(self) -> tuple[float, float]:
        """The ends of the mean difference on these topics over all completions."""
        differences = self.differences
        defined = ~np.isnan(differences.value)[None]
        least = 0.0 - furthest_mean(-differences.lower[None], defined)
        return float(least[0]), float(furthest_mean(differences.upper[None], defined)[0])

    def sure(self, bound: float, confidence: float) -> Sureness:
        """Whether the mean on these topics lies on its side of a bound, whatever is judged.

        certain if all completions do; likely if the draws, whose variance counts MODEL_FACTOR
        times, do with this probability; open else, and where the mean is undefined.
        """
        low, high = self.certain
        is_certain = np.array([low > bound + SCORE_NOISE or high < bound - SCORE_NOISE])
        probability = np.full(1, np.nan)
        if self.drawn is not None and not np.isnan(self.expected):
            spread = np.sqrt(MODEL_FACTOR) * float(moments(self.drawn)[1].std(ddof=1))
            apart = abs(self.expected - bound) / max(spread, SCORE_NOISE)
            probability = stdtr(len(self.drawn) - 1, np.array([apart]))
        return sureness_of(is_certain, probability, confidence)[0]

    @property
    def expected(self) -> float:
        """With unjudged documents as the model expects them; NaN without one."""
        return np.nan if self.drawn is None else TopicChance.of_draws(self.drawn).centre

    def on(self, topics: Bools) -> "MeanDifference":
        """The mean over some of the topics."""
        drawn = None if self.drawn is None else np.where(topics, self.drawn, np.nan)
        return MeanDifference(self.differences.on(topics), drawn)
