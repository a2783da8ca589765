"""What is certain of the difference between two runs, topic by topic."""

from dataclasses import dataclass

import numpy as np

from leadline.intervals.joint import Shares, same_lists
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

    What `Shares` says of weighted measures and of nDCG, as for `joint_intervals`; of others what
    the two runs' own intervals imply. 0 where both return the same lists.
    """
    scores = measure.score(Lists.of(two, judgments))
    value = scores.value[1] - scores.value[0]
    lower, upper = scores.lower[1] - scores.upper[0], scores.upper[1] - scores.lower[0]
    if measure.numerator is not None:
        shares = Shares.of(two, judgments, measure, scores)
        lower, upper = 0.0 - shares.upper(0)[1], shares.upper(1)[0]
    if same_lists(two, measure.depth)[0, 1]:
        lower, upper = np.zeros(len(value)), np.zeros(len(value))
    return TopicDifferences(value, np.fmin(lower, value), np.fmax(upper, value))
