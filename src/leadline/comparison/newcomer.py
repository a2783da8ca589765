"""A new run against its baseline: what is judged, what is certain, and what is likely."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtr

from leadline.comparison.caveats import FEW, FEW_TOPICS, THIRD, UNJUDGED
from leadline.comparison.gate_verdicts import Asked, Verdict
from leadline.comparison.mean_doubt import (
    MeanDoubt,
    NoDifference,
    TopicChance,
    WorstCompletion,
)
from leadline.comparison.significance import moments
from leadline.comparison.sureness import Sureness
from leadline.estimators.drawn_grades import (
    MODEL_FACTOR,
    DrawnGrades,
    draw_coins,
    draw_grades,
)
from leadline.estimators.evidence import Evidence
from leadline.estimators.judged_shape import shape_doubts
from leadline.files.problems import InputError
from leadline.intervals.joint import same_lists, unjudged_share
from leadline.intervals.topic_differences import TopicDifferences, topic_differences
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Floats
from leadline.tables.runs import UNRANKED, Runs
from leadline.tables.scores import SCORE_NOISE, furthest_mean

N_DRAWS = 200
N_COINS = 100

NO_MODEL = "no model of unjudged documents"

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
    def same(self) -> bool:
        """Whether both return the same lists."""
        return bool(same_lists(self.runs, None)[0, 1])

    def unjudged(self, measure: Measure, topics: Bools) -> Floats:
        """The share of what the measure looks at that was not judged, of each run."""
        return unjudged_share(self.runs, self.evidence.judgments, measure, topics)

    def check_known(self) -> None:
        """Refuse a run none of whose documents is judged or returned by another run."""
        runs = self.evidence.runs
        judged = self.evidence.judgments.judged
        known = judged | (np.bincount(runs.pair, minlength=len(judged)) > 1)
        for name in dict.fromkeys((self.new, self.baseline)):
            own = runs.pair[runs.entries.run == runs.names.index(name)]
            if len(own) and not known[own].any():
                message = (
                    f"none of its {len(own):,} documents is known: none is judged, and no other "
                    "run returns one. Are its ids from another index?"
                )
                raise InputError.of(name, "unknown-documents", message)

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

    `drawn` [draws, topics] are differences by a model, None without one. `same` says that both are
    one run, which is no different on any topic.
    """

    differences: TopicDifferences
    drawn: Floats | None
    same: bool = False

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
        if self.same:
            return NoDifference()
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

    def on_these_topics(
        self, margin: float, confidence: float, asked: Asked
    ) -> tuple[Verdict, Sureness]:
        """What holds on these topics once all is judged, and how settled that is.

        certain if it holds in every completion; likely if it does with this probability by the
        draws, whose variance counts MODEL_FACTOR times; undecided and open else.
        """
        low, high = self.certain
        above = low > -margin - SCORE_NOISE, low > margin + SCORE_NOISE
        below = high < -margin - SCORE_NOISE, high < margin + SCORE_NOISE
        found = _statement(asked, above, below)
        if found != "undecided":
            return found, "certain"
        if self.drawn is None or np.isnan(self.expected):
            return "undecided", "open"
        spread = np.sqrt(MODEL_FACTOR) * float(moments(self.drawn)[1].std(ddof=1))
        ends = np.array([-margin, margin])
        under = stdtr(len(self.drawn) - 1, (ends - self.expected) / max(spread, SCORE_NOISE))
        if asked == "equivalent" and under[1] - under[0] >= confidence:
            return "equivalent", "likely"
        found = _statement(asked, tuple(1 - under >= confidence), tuple(under >= confidence))
        if found in ("undecided", "equivalent"):
            return "undecided", "open"
        return found, "likely"

    @property
    def expected(self) -> float:
        """With unjudged documents as the model expects them; NaN without one."""
        return np.nan if self.drawn is None else TopicChance.of_draws(self.drawn).centre

    def on(self, topics: Bools) -> "MeanDifference":
        """The mean over some of the topics."""
        drawn = None if self.drawn is None else np.where(topics, self.drawn, np.nan)
        return MeanDifference(self.differences.on(topics), drawn, self.same)


def _statement(asked: Asked, above: tuple[bool, ...], below: tuple[bool, ...]) -> Verdict:
    """What follows where the difference is above, or below, (-margin, margin)."""
    if asked == "not_worse":
        return "not_worse" if above[0] else "worse" if below[0] else "undecided"
    if above[0] and below[1]:
        return "equivalent"
    return "different" if below[0] or above[1] else "undecided"


def gate_caveats(n_topics: int, unjudged: Floats, modelled: bool) -> str:
    """Reasons not to rely on a row of a gate, joined by `; `.

    `unjudged` are the shares of what the measure looks at that were not judged, of both runs.

    >>> gate_caveats(10, np.array([0.0, 0.5]), True)
    'few topics; more than a third unjudged'
    """
    open_ = bool((unjudged > UNJUDGED + SCORE_NOISE).any())
    held = {FEW: n_topics < FEW_TOPICS, THIRD: open_, NO_MODEL: open_ and not modelled}
    return "; ".join(caveat for caveat, holds in held.items() if holds)
