"""What would decide: the documents that matter most come first, and enough of them do decide."""

import numpy as np
import pytest

from leadline.completions.bounds import TopicDifferences
from leadline.completions.estimator import TrainingData
from leadline.measures.measure import parse_measure
from leadline.stats.gate import Deciding, MeanDifference, RunPair, judgments_until, topics_until
from leadline.stats.mean_uncertainty import TopicVariance
from tests.collections import Small

P2 = parse_measure("P@2")
SMALL = Small(
    {
        "x": {"1": ["a", "b"], "2": ["a", "s"]},
        "y": {"1": ["a", "c"], "2": ["s", "d"]},
    },
    {"1": {"a": 1, "b": 0}, "2": {"a": 1}},
    1,
)


def coins() -> RunPair:
    runs, judgments = SMALL.tables()
    contributing = np.array([True, False])
    evidence = TrainingData(P2, runs, judgments, contributing=contributing)
    return RunPair(evidence, "x", "y", 2, model=False)


def test_a_document_that_both_return_decides_nothing() -> None:
    every = np.ones(2, np.bool_)
    deciding = Deciding.of(coins(), P2, every)
    frame = deciding.frame(coins())
    first = frame.head(2)
    # c and d each move the mean by 1/2 / 2 topics, times the coin's deviation of 1/2.
    assert sorted(first["doc"].to_list()) == ["c", "d"]
    assert first["worth"].to_list() == pytest.approx([0.125, 0.125], rel=0.05)
    assert (frame.filter(doc="s")["worth"] < 0.05).all()
    assert frame.filter(doc="d").select("rank_baseline", "rank_new").row(0) == (None, 2)


def test_only_topics_that_are_asked_for() -> None:
    deciding = Deciding.of(coins(), P2, np.array([True, False]))
    assert deciding.frame(coins())["topic"].unique().to_list() == ["1"]


def test_judgments_take_their_worth_from_the_doubt() -> None:
    # Centre .05; over topics .02; the draws' means differ by .04, all of it one document's.
    random = np.random.default_rng(0)
    topics = random.normal(0.05, 0.02 * np.sqrt(50), 50)
    topics += 0.05 - topics.mean()
    moved = np.where(np.arange(200) % 2 == 0, 0.04, -0.04)
    drawn = topics + moved[:, None]
    mean = MeanDifference(TopicDifferences(topics, topics - 1, topics + 1), drawn)
    one = Deciding(np.array([4]), np.array([0.04]), np.array([0]))
    least, _ = mean.both.bounds(0.95)
    assert least < -0.01
    assert TopicVariance.of(topics).bounds(0.95)[0] > -0.01
    assert judgments_until(mean, one, 0.01, 0.95, "not_worse") == 1
    nobody = Deciding(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))
    assert judgments_until(mean, nobody, 0.01, 0.95, "not_worse") is None


def test_without_a_model_judged_documents_are_taken_for_worthless() -> None:
    value = np.array([0.2, 0.22, 0.18, 0.21])
    mean = MeanDifference(TopicDifferences(value, value - 0.3, value), None)
    asked = Deciding(np.arange(4), np.full(4, 0.1), np.arange(4))
    needed = judgments_until(mean, asked, 0.01, 0.95, "not_worse")
    assert needed is not None
    assert 0 < needed <= 4
    closed = MeanDifference(TopicDifferences(value, value, value), None)
    assert closed.both.p_above(-0.01) < 0.025


def test_topics_needed_shrink_with_the_difference() -> None:
    value = np.tile([0.2, -0.1, 0.05, 0.0], 5)
    small = MeanDifference(TopicDifferences(value, value, value), None)
    large = MeanDifference(TopicDifferences(*[value + 0.2] * 3), None)
    few, many = (
        topics_until(large, 0.01, 0.95, "not_worse"),
        topics_until(small, 0.01, 0.95, "not_worse"),
    )
    assert few is not None
    assert many is not None
    assert few < many
    # Where any grade is allowed for, topics with these bounds never decide.
    open_ = MeanDifference(TopicDifferences(value, value - 1, value + 1), None)
    assert topics_until(open_, 0.01, 0.95, "not_worse") is None
    flat = np.zeros(4)
    level = MeanDifference(TopicDifferences(flat, flat, flat), None)
    assert topics_until(level, 0.01, 0.95, "not_worse") is None
