"""What is certain of the difference between two runs, topic by topic."""

from dataclasses import dataclass

import numpy as np

from leadline.intervals.joint import open_weight, same_lists
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class TopicDifferences:
    """value, lower, upper [topics]: second run minus first, as judged and over all completions.

    NaN in `value` where one of them is undefined; the ends tell what the difference would be if a
    relevant document were found there.
    """

    value: Floats
    lower: Floats
    upper: Floats

    def on(self, topics: Bools) -> "TopicDifferences":
        """Of some of the topics: the others are as if they were not there."""
        ends = (np.where(topics, end, np.nan) for end in (self.value, self.lower, self.upper))
        return TopicDifferences(*ends)

    def turned(self) -> "TopicDifferences":
        """First run minus second."""
        return TopicDifferences(-self.value, -self.upper, -self.lower)


def topic_differences(two: Runs, judgments: Judgments, measure: Measure) -> TopicDifferences:
    """The joint interval of the difference of two runs on every topic.

    Weighted measures: an unjudged document that both return moves both, and tails beyond the lists'
    ends are left out, as `joint_intervals` does. nDCG: the same of DCG, over the least ideal (that
    of what is judged: it only grows) or the largest, whichever is further; both runs have the same
    ideal. No end lies beyond what the two runs' own intervals imply, which is all that is known of
    other measures. 0 where both return the same lists.
    """
    scores = measure.score(Lists.of(two, judgments))
    value = scores.value[1] - scores.value[0]
    lower, upper = scores.lower[1] - scores.upper[0], scores.upper[1] - scores.lower[0]
    weighted = measure.numerator
    if weighted is not None:
        gains = weighted.score(Lists.of(two, judgments)).value
        difference = gains[1] - gains[0]
        open_ = open_weight(two, judgments, weighted, by_topic=True)
        ideal = measure.ideals(judgments.counts, judgments.max_grade)
        lower = np.fmax(lower, _furthest(difference - open_.surplus(0, 1), *ideal, -1.0))
        upper = np.fmin(upper, _furthest(difference + open_.surplus(1, 0), *ideal, 1.0))
    if same_lists(two, measure.depth)[0, 1]:
        lower, upper = np.zeros(len(value)), np.zeros(len(value))
    return TopicDifferences(value, np.fmin(lower, value), np.fmax(upper, value))


def _furthest(end: Floats, least: Floats, most: float, sign: float) -> Floats:
    """How far a share can lie whose numerator ends here; NaN where nothing relevant is known."""
    away = sign * end > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Floats = np.where(away, end / least, end / most)
    share[~(least > 0)] = np.nan
    return share
