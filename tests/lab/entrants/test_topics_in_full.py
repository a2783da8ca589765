"""Whole topics, alone and beside a judge."""

import numpy as np
import pytest

from leadline.data.lists import Lists
from leadline.lab.benchmark.entrants.pools import TopicsInFull, by_topic
from leadline.lab.benchmark.question import Truth
from tests.lab.entrants.labelled import labelled


def test_topics_are_judged_whole() -> None:
    asked = labelled(60)
    TopicsInFull("none").answer(asked)
    judged = asked.known.judged[asked.weights.pair]
    for topic in range(len(asked.runs.pairs.topics)):
        mine = judged[asked.weights.topic == topic]
        assert mine.all() or not mine.any()
    assert 0 < asked.judgments <= 60


def test_beside_a_perfect_judge_few_topics_are_enough() -> None:
    asked = labelled(60, right=1.0)
    true = Truth.of(asked).value
    assert np.allclose(TopicsInFull("one").answer(asked).value, true)
    alone = TopicsInFull("none").answer(labelled(60, right=1.0)).value
    assert np.abs(alone - true).max() > 0.01


def test_scores_by_topic_are_the_measures() -> None:
    asked = labelled(10)
    table = asked.weighted.gain(asked.max_grade)
    found = by_topic(asked, table[asked.hidden.grade[asked.weights.pair]])
    expected = asked.measure.score(Lists.of(asked.runs, asked.hidden)).value
    assert np.allclose(found, expected)


def test_a_budget_that_pays_for_no_topic_is_told() -> None:
    with pytest.raises(ValueError, match="does not pay for one topic"):
        TopicsInFull("none").answer(labelled(5))
