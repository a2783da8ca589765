"""Everything to tell about the runs by one measure: a leaderboard and what stands behind it."""

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from leadline.comparison.estimated_orders import EstimatedMeans, agreement
from leadline.comparison.outlook import Outlook, outlook_of
from leadline.comparison.pairwise import Pairwise
from leadline.comparison.tiers import By, places, ranked
from leadline.comparison.topic_confidence import TopicConfidence
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.pools.contributions import Groups, LeftOut
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.scores import SCORE_NOISE, Scores


@dataclass(frozen=True)
class GroupLeftOut:
    """A group's best run: score and place with the group in the pool and without it."""

    group: str
    run: str
    value: float
    without: float
    lower: float
    upper: float
    place: int | None
    place_without: int | None


@dataclass(frozen=True, eq=False)
class Board:
    """A measure's scores, all pairs of runs compared, and the scores with a group left out.

    `pairwise` is None where there is one run only, `left_out` where the judgments are no pool of
    the runs. `alike` is the same number for runs with the same lists. Of `estimates`, where there
    are any, the first is the score itself; `confidence` has intervals over topics, if asked for.
    """

    measure: Measure
    scores: Scores
    pairwise: Pairwise | None
    alike: Int64s
    left_out: tuple[GroupLeftOut, ...] | None = None
    estimates: tuple[EstimatedMeans, ...] = ()
    confidence: TopicConfidence | None = None

    @cached_property
    def mean(self) -> Floats:
        """Mean score of each run."""
        return self.scores.mean()

    @cached_property
    def lower(self) -> Floats:
        """The least that each mean can become."""
        return self.scores.mean_lower()

    @cached_property
    def upper(self) -> Floats:
        """The most that each mean can become."""
        return self.scores.mean_upper()

    @cached_property
    def order(self) -> Int64s:
        """Runs, best score first; those without a score last, equals by name."""
        return ranked(self.mean, self.scores.runs)

    @cached_property
    def places(self) -> list[int | None]:
        """Place of each run, 1 the best; equals share the better place."""
        return places(self.mean)

    @cached_property
    def tiers(self) -> dict[By, Int64s] | None:
        """The tier of each run by the test and for certain; None where there is one run only."""
        if self.pairwise is None:
            return None
        tiers = {by: self.pairwise.tiers(by) for by in get_args(By)}
        return {by: tier for by, tier in tiers.items() if tier is not None}

    @cached_property
    def judged(self) -> Floats:
        """Share of what the measure looks at that was judged, mean over topics."""
        return self.scores.mean_judged()

    @property
    def has_interval(self) -> bool:
        """Whether the measure tells how far its scores could still go."""
        return not bool(np.isnan(self.upper).all())

    @cached_property
    def ideals(self) -> tuple[Floats, float] | None:
        """By topic the ideal that scores are shares of, and the most that it can become.

        None of measures that are no shares.
        """
        pairs, measure = self.pairwise, self.measure
        if pairs is None or measure.numerator in (None, measure):
            return None
        return measure.ideals(pairs.judgments.counts, pairs.judgments.max_grade)

    @cached_property
    def all_judged(self) -> bool:
        """Whether every document that one of several runs returns was judged."""
        pairs = self.pairwise
        return pairs is not None and bool(pairs.judgments.judged[pairs.runs.pair].all())

    @property
    def estimated(self) -> bool:
        """Whether means are estimated as a whole, and unjudged documents do not count as 0."""
        return self.scores.of_mean is not None

    @property
    def exact_bounds(self) -> bool:
        """Whether some completion of the judgments reaches every bound of a difference."""
        return isinstance(self.measure, Weighted)

    @cached_property
    def rivals(self) -> Int64s | None:
        """Runs that the bounds do not keep below the leader, best first; None without bounds."""
        if self.pairwise is None or not self.has_interval:
            return None
        leader = int(self.order[0])
        above: Floats = self.pairwise.joint.upper[self.order, leader]
        may = (above > SCORE_NOISE) & (self.order != leader)
        rivals: Int64s = self.order[may]
        return rivals

    @cached_property
    def outlook(self) -> Outlook | None:
        """Who is best by a model of the judgments, and how much judging that still takes.

        None where the measure has no such model.
        """
        pairs, rivals = self.pairwise, self.rivals
        if pairs is None or rivals is None or pairs.posterior is None:
            return None
        certain, confidence = not len(rivals), pairs.confidence
        return outlook_of(
            pairs.posterior, pairs.judgments, pairs.measure, certain=certain, confidence=confidence
        )

    @cached_property
    def level_with_leader(self) -> Int64s | None:
        """Runs that the test cannot tell from the leader, best first; None if there is no test."""
        if self.pairwise is None:
            return None
        leader = int(self.order[0])
        apart = self.pairwise.apart("significance")[leader, self.order]
        level: Int64s = self.order[~apart & (self.order != leader)]
        return level

    @property
    def agreements(self) -> list[tuple[str, dict[str, float]]]:
        """How far each two estimates order the runs alike, by their names."""
        return [
            (f"{one.name} and {other.name}", agreement(one, other))
            for at, one in enumerate(self.estimates)
            for other in self.estimates[at + 1 :]
        ]


def groups_left_out(scores: Scores, groups: Groups, left: LeftOut) -> tuple[GroupLeftOut, ...]:
    """Each pooled group's best run when the group had not been pooled, the largest fall first."""
    mean = scores.mean()
    place = places(mean)
    rows = []
    for group, name in enumerate(groups.names):
        own = np.flatnonzero((groups.of_run == group) & groups.pooled & ~np.isnan(mean))
        if not len(own):
            continue
        best = int(own[np.argmax(mean[own])])
        rows.append(
            GroupLeftOut(
                name,
                scores.runs[best],
                float(mean[best]),
                float(left.value[group, best]),
                float(left.lower[group, best]),
                float(left.upper[group, best]),
                place[best],
                places(left.value[group])[best],
            )
        )
    # Noise of the last digits is no fall.
    return tuple(sorted(rows, key=lambda row: round(np.nan_to_num(row.without) - row.value, 9)))
