"""What would decide between two runs: documents by order of worth, judgments, topics."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.comparison.gate_verdicts import Asked
from leadline.comparison.mean_doubt import TopicChance, WorstCompletion
from leadline.comparison.newcomer import MeanDifference, Newcomer
from leadline.comparison.power import topics_needed
from leadline.estimators.drawn_grades import MODEL_FACTOR
from leadline.intervals.topic_differences import TopicDifferences
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Floats, Int64s


@dataclass(frozen=True, eq=False)
class Deciding:
    """Unjudged pairs of two runs, those first whose judgment says most about their difference.

    `worth` is how far a judgment moves the mean difference: one standard deviation of what the
    draws leave open of it.
    """

    pair: Int64s
    worth: Floats
    topic: Int64s

    @classmethod
    def of(cls, newcomer: Newcomer, measure: Measure, topics: Bools) -> "Deciding":
        """|cov(difference on the topic, grade)| / sd(grade) / number of topics, over the draws."""
        drawn = newcomer.drawn
        difference = np.nan_to_num(newcomer.drawn_differences(measure))
        topic = newcomer.runs.pairs.topic[drawn.pair].astype(np.int64)
        some = np.flatnonzero(topics[topic])
        grade = drawn.grade[:, some].astype(np.float64)
        grade -= grade.mean(axis=0)
        own = (difference - difference.mean(axis=0))[:, topic[some]]
        spread = np.sqrt((grade**2).mean(axis=0))
        moved = np.abs((own * grade).mean(axis=0))
        worth = np.divide(moved, spread, out=np.zeros(len(some)), where=spread > 0)
        worth /= max(1, int(topics.sum()))
        # Pairs are in the order of their names, which settles ties.
        order = np.argsort(-np.round(worth, 12), kind="stable")
        order = order[worth[order] > 0]
        return cls(drawn.pair[some][order], worth[order], topic[some][order])

    def frame(self, newcomer: Newcomer) -> pl.DataFrame:
        """Columns topic, doc, worth, rank_baseline, rank_new; a rank is null beyond the depth."""
        topic, doc = newcomer.runs.pairs.names(self.pair)
        runs = newcomer.runs
        ranks = {}
        for number, name in enumerate(("rank_baseline", "rank_new")):
            at = np.zeros(len(runs.pairs), np.int64)
            own = runs.entries.run == number
            at[runs.pair[own]] = runs.entries.rank[own]
            rank = pl.Series(at[self.pair])
            ranks[name] = pl.select(pl.when(rank > 0).then(rank)).to_series()
        text = {"topic": pl.Series(topic, dtype=pl.String), "doc": pl.Series(doc, dtype=pl.String)}
        return pl.DataFrame({**text, "worth": self.worth, **ranks})


def judgments_until(
    difference: MeanDifference, deciding: Deciding, margin: float, confidence: float, asked: Asked
) -> int | None:
    """Judgments, by order of worth, after which the verdict is to be expected; None if never.

    With a model the mean difference stays where it is expected, and each judgment takes the square
    of its worth from the variance. Without one, documents turn out worthless, and each takes its
    share of what its topic leaves open.
    """
    n = len(deciding.worth)
    if difference.drawn is None:

        def after(judged: int) -> bool:
            left = _left_open(difference.differences, deciding, judged)
            return _decided(WorstCompletion(left).bounds(confidence), margin, asked)

        return _first(after, n)
    both = TopicChance.of_draws(difference.drawn)
    gone = MODEL_FACTOR * np.append(0.0, (deciding.worth**2).cumsum())
    between = both.error**2 - TopicChance.of_draws(difference.drawn, 0.0).error ** 2

    def enough(judged: int) -> bool:
        error = np.sqrt(both.error**2 - min(between, gone[judged]))
        left = TopicChance(both.centre, float(error), both.freedom)
        return _decided(left.bounds(confidence), margin, asked)

    return _first(enough, n)


def topics_until(
    difference: MeanDifference, margin: float, confidence: float, asked: Asked
) -> int | None:
    """Topics like these on which the verdict would come four times out of five; None if unknown."""
    drawn, bounds = difference.drawn, difference.differences
    if drawn is not None:
        ends = (TopicChance.of_draws(drawn),) * 2
    else:
        # Any grade is allowed for, so a topic counts with the end that speaks against a verdict.
        ends = TopicChance.of(bounds.lower), TopicChance.of(bounds.upper)
    effect = max(_effects(*ends, difference.n_topics, margin, asked), default=0.0)
    if not effect > 0:
        return None
    needed = topics_needed(np.array([effect]), 1 - confidence, 1)[0]
    return None if np.isnan(needed) else int(needed)


def _effects(
    low: TopicChance, high: TopicChance, n: int, margin: float, asked: Asked
) -> list[float]:
    """For each possible verdict, how far the mean lies on its side, in standard deviations."""

    def apart(ahead: float, chance: TopicChance) -> float:
        deviation = chance.error * np.sqrt(n)
        return ahead / deviation if deviation > 0 else 0.0

    above, below = apart(low.centre + margin, low), apart(-margin - high.centre, high)
    if asked == "not_worse":
        return [above, below]
    inside = min(above, apart(margin - high.centre, high))
    return [inside, below, apart(low.centre - margin, low)]


def _decided(bounds: tuple[float, float], margin: float, asked: Asked) -> bool:
    least, most = bounds
    if asked == "not_worse":
        return least > -margin or most < -margin
    return (least > -margin and most < margin) or most < -margin or least > margin


def _left_open(differences: TopicDifferences, deciding: Deciding, judged: int) -> TopicDifferences:
    """The certain intervals once so many documents turned out worthless."""
    n = len(differences.value)
    total = np.bincount(deciding.topic, deciding.worth, n)
    gone = np.bincount(deciding.topic[:judged], deciding.worth[:judged], n)
    share = np.divide(total - gone, total, out=np.ones(n), where=total > 0)
    value = differences.value
    lower = np.where(
        np.isnan(value), differences.lower, value - share * (value - differences.lower)
    )
    upper = np.where(
        np.isnan(value), differences.upper, value + share * (differences.upper - value)
    )
    return TopicDifferences(value, lower, upper)


def _first(enough: Callable[[int], bool], most: int) -> int | None:
    """The least number for which it is enough, if it is for the most; by halves."""
    if not enough(most):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
