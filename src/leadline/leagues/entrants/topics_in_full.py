"""Whole topics judged, alone or beside a cheap judge."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from leadline.adjusters.from_topics import from_topics, tuned_slope
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.orders.whole_topics import WholeTopics
from leadline.tables.arrays import Floats


@entrants.register
@dataclass(frozen=True)
class TopicsInFull(Entrant):
    """As many topics as the budget pays for, judged in full; labels speak for the others.

    Formula: l * mean over all topics of the labels' scores + mean over judged ones of (true - l *
    labels')

    slope: none leaves the labels out, one takes l = 1, tuned fits l to the judged topics.

    Webber and Park, Score adjustment for correction of pooling bias, SIGIR 2009.
    """

    tasks = ("cheap",)

    slope: Literal["none", "one", "tuned"] = "tuned"

    @property
    def title(self) -> str:
        return (
            "whole topics" + {"none": "", "one": " + judge", "tuned": " + judge, tuned"}[self.slope]
        )

    @classmethod
    def variants(cls) -> list[Self]:
        """Without the labels, with them, and with them as far as they are worth."""
        return [cls("none"), cls("one"), cls("tuned")]

    def answer(self, question: Question) -> Reply:
        """Of weighted measures."""
        weights, n = question.weights, question.budget
        n_topics = len(question.runs.pairs.topics)
        asked = [c.pair for c in WholeTopics(question.seed).start(question.looked_at).next(n + 1)]
        size = np.bincount(weights.topic, minlength=n_topics)
        begun = np.array(list(dict.fromkeys(question.runs.pairs.topic[asked].tolist())))
        common = begun[np.cumsum(size[begun]) <= n]
        if not len(common):
            raise ValueError("the budget does not pay for one topic")
        pair = weights.pair
        judged = np.isin(weights.topic, common)
        gain, table = np.zeros(len(pair)), question.weighted.gain(question.max_grade)
        gain[judged] = table[question.judge(pair[judged])]
        true = by_topic(question, gain)[:, common]
        if self.slope == "none":
            return Reply(true.mean(axis=1))
        share = np.nan_to_num(question.runs.pairs.labels.share)[pair]
        others = np.setdiff1d(np.arange(n_topics), common)
        cheap = by_topic(question, table.max() * share)[:, np.concatenate([common, others])]
        slope = 1.0 if self.slope == "one" else tuned_slope(cheap[:, : len(common)], true)
        return Reply(from_topics(cheap, true, n_topics, slope).adjusted)


def by_topic(question: Question, gain: Floats) -> Floats:
    """[runs, topics]: the scores if the pairs that weigh something have these gains."""
    weights, n_topics = question.weights, len(question.runs.pairs.topics)
    scores = [
        n_topics * (weights.matrix @ (gain * (weights.topic == at))) for at in range(n_topics)
    ]
    return np.stack(scores, axis=1)
