"""A new run against its baseline: likely, certain, and over some topics."""

import numpy as np
import pytest

import leadline
from leadline.completions.bounds import TopicDifferences
from leadline.completions.estimator import TrainingData
from leadline.completions.regression import model_doubts, relevance_model
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.stats.gate import MeanDifference, RunPair
from leadline.stats.mean_uncertainty import WorstCompletion

NDCG = parse_measure("nDCG@10")


def newcomer(model: bool = True, depth: int = 3) -> RunPair:
    """A run of the demo whose group gave nothing to a pool."""
    sea = leadline.read(COLLECTION, depth=50)
    group = np.array(sea.runs.group, object)
    contributing = group != "Corran"
    judgments = sea.judgments.only(sea.runs.only(contributing).best_rank <= depth)
    evidence = TrainingData(NDCG, sea.runs, judgments, contributing=contributing)
    return RunPair(evidence, "anstey-bm25", "corran-lsa60", 10, model)


def test_the_two_come_as_baseline_and_new() -> None:
    asked = newcomer()
    assert asked.runs.names == ("anstey-bm25", "corran-lsa60")
    assert asked.runs.length.max() == 10


def test_what_is_expected_and_what_is_judged_lie_inside_what_is_certain() -> None:
    asked = newcomer()
    mean = MeanDifference(asked.differences(NDCG), asked.drawn_differences(NDCG))
    low, high = mean.certain
    assert low <= mean.expected <= high
    assert low <= mean.chance.centre <= high


def test_why_a_model_may_not_be_trusted() -> None:
    known = newcomer().evidence
    model = relevance_model(known)
    assert model_doubts(known, model) == ()
    nothing = known.judgments.only(np.zeros(len(known.runs.pairs), np.bool_))
    assert model_doubts(known.but(judgments=nothing), model)[0].startswith("nothing is judged")
    alone = known.runs.only(np.array([known.runs.names.index("anstey-bm25")]))
    (said,) = model_doubts(known.but(runs=alone, contributing=None), model)
    assert "of the judged documents are returned by none of the runs that were pooled" in said


def test_draws_lie_inside_what_is_certain() -> None:
    asked = newcomer()
    drawn, certain = asked.drawn_differences(NDCG), asked.differences(NDCG)
    known = ~np.isnan(drawn)
    assert (drawn >= certain.lower - 1e-9)[known].all()
    assert (drawn <= certain.upper + 1e-9)[known].all()


def test_without_a_model_anything_may_be_true() -> None:
    asked = newcomer(model=False)
    mean = MeanDifference(asked.differences(NDCG), None)
    assert isinstance(mean.both, WorstCompletion)
    assert np.isnan(mean.expected)
    drawn = asked.drawn.grade
    assert set(np.unique(drawn).tolist()) == set(range(asked.evidence.judgments.max_grade + 1))


def test_over_some_topics_the_others_are_not_there() -> None:
    value = np.array([0.1, 0.5, -0.3])
    mean = MeanDifference(TopicDifferences(value, value - 0.1, value + 0.2), value[None, :])
    part = mean.on(np.array([True, True, False]))
    assert part.n_topics == 2
    assert part.chance.centre == pytest.approx(0.3)
    assert part.certain == pytest.approx((0.2, 0.5))


def test_undefined_topics_join_where_that_goes_furthest() -> None:
    value = np.array([0.1, np.nan, np.nan])
    ends = TopicDifferences(value, np.array([0.0, -0.6, 0.4]), np.array([0.2, 0.8, 0.9]))
    low, high = MeanDifference(ends, None).certain
    assert low == pytest.approx((0.0 - 0.6) / 2)
    assert high == pytest.approx((0.2 + 0.9 + 0.8) / 3)
    nothing = np.full(2, np.nan)
    assert np.isnan(MeanDifference(TopicDifferences(nothing, nothing, nothing), None).certain).all()


@pytest.mark.parametrize(
    ("ends", "spread", "not_worse", "equivalent"),
    [
        ((0.05, 0.2), None, ("not_worse", "certain"), ("different", "certain")),
        ((-0.005, 0.01), None, ("not_worse", "certain"), ("equivalent", "certain")),
        ((-0.3, -0.02), None, ("worse", "certain"), ("different", "certain")),
        ((-0.3, 0.3), None, ("undecided", "open"), ("undecided", "open")),
        ((-0.3, 0.3), 0.001, ("not_worse", "likely"), ("different", "likely")),
        ((-0.3, 0.3), 0.5, ("undecided", "open"), ("undecided", "open")),
    ],
)
def test_what_is_settled_on_these_topics(
    ends: tuple[float, float],
    spread: float | None,
    not_worse: tuple[str, str],
    equivalent: tuple[str, str],
) -> None:
    """Two topics with the same ends; draws whose means are 0.1 -+ the spread."""
    value = np.full(2, np.mean(ends))
    known = TopicDifferences(value, np.full(2, ends[0]), np.full(2, ends[1]))
    drawn = None if spread is None else 0.1 + spread * np.array([[1.0, 1.0], [-1.0, -1.0]] * 20)
    mean = MeanDifference(known, drawn)
    assert mean.on_these_topics(0.01, 0.95, "not_worse") == not_worse
    assert mean.on_these_topics(0.01, 0.95, "equivalent") == equivalent
    if drawn is not None:
        near = MeanDifference(known, drawn - 0.1)
        inside = ("equivalent", "likely") if spread == 0.001 else ("undecided", "open")
        assert near.on_these_topics(0.01, 0.95, "equivalent") == inside
