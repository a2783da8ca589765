"""The posterior of the scores: equal to the plain twin, and honest at both ends."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.score_model import ScoreModel, ScorePosterior
from leadline.measures.measure import Weighted, parse_measure
from tests.collections import Small, small_collections
from tests.reference import likely as plain
from tests.tries import tries

MEASURE = "P@3"


def weighted(name: str) -> Weighted:
    measure = parse_measure(name)
    assert isinstance(measure, Weighted)
    return measure


def posterior(small: Small, judge_all: bool = False) -> tuple[ScoreModel, ScorePosterior]:
    runs, judgments = small.tables()
    model = ScoreModel(runs, weighted(MEASURE))
    judged = judgments.judged[model.weights.pair] | judge_all
    gain = (judgments.grade[model.weights.pair] >= 1) * judged * 1.0
    return model, model.posterior(judged, gain)


@given(small=small_collections(n_docs=6))
@tries(10)
def test_equal_to_the_plain_twin(small: Small) -> None:
    runs, judgments = small.tables()
    if not runs.length.any():
        return
    model, found = posterior(small)
    gains = {
        runs.pairs.name(pair): float(judgments.grade[pair] >= 1)
        for pair in model.weights.pair.tolist()
        if judgments.judged[pair]
    }
    lists = {
        name: {topic: list(small.runs[name].get(topic, [])) for topic in runs.pairs.topics}
        for name in runs.names
    }
    mean, both, expected = plain.posterior(lists, [1 / 3] * 3, gains)
    assert found.mean == pytest.approx([mean[name] for name in runs.names], abs=1e-5)
    covariance = [[both[a, b] for b in runs.names] for a in runs.names]
    assert found.covariance == pytest.approx(np.array(covariance), abs=1e-5)
    names = [runs.pairs.name(pair) for pair in model.weights.pair.tolist()]
    assert found.expected == pytest.approx([expected[name] for name in names], abs=1e-4)


@given(small=small_collections(n_docs=6))
@tries(8)
def test_nothing_is_doubtful_once_all_is_judged(small: Small) -> None:
    _, found = posterior(small, judge_all=True)
    assert found.covariance == pytest.approx(0, abs=1e-12)
    best = found.best()
    assert found.confidence(best, 1e-6) == 1.0
    assert found.mean[best].min() >= found.mean.max() - 1e-9


def test_a_run_of_its_own_documents_is_doubted_more_than_one_of_everybodys() -> None:
    shared = [f"d{number}" for number in range(5)]
    own = [f"x{number}" for number in range(5)]
    runs = {"a": shared, "b": shared[::-1], "c": shared[1:] + shared[:1], "own": own}
    small = Small(
        {name: {"1": docs, "2": docs} for name, docs in runs.items()},
        {"1": {"d0": 1, "d1": 1, "d2": 0, "d3": 1}, "2": {"d0": 1, "d1": 0, "d2": 1}},
        1,
    )
    _, found = posterior(small)
    doubt = dict(zip(small.tables()[0].names, np.diag(found.covariance), strict=True))
    assert doubt["own"] > 2 * max(doubt["a"], doubt["b"], doubt["c"])


def test_confidence_counts_what_is_ahead_by_more_than_it_may() -> None:
    small = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1)
    runs, _ = small.tables()
    even = ScorePosterior(runs, np.array([0.5, 0.5]), 0.01 * np.eye(2), np.zeros(2))
    assert even.best().tolist() == [True, False]
    assert even.confidence(even.best(), 0.0) == pytest.approx(0.5, abs=0.04)
    # The difference has a deviation of .1 sqrt(2): within one of them lie .841.
    assert even.confidence(even.best(), 0.1 * 2**0.5) == pytest.approx(0.841, abs=0.03)
    assert even.confidence(even.best(2), 0.0) == 1.0
    assert even.ahead(0).tolist() == [0.0, pytest.approx(0.5)]


def test_too_large_a_model_is_refused() -> None:
    many = {"run": {str(topic): ["d"] for topic in range(5001)}}
    runs, _ = Small(many, {topic: {"d": 1} for topic in many["run"]}, 1).tables()
    with pytest.raises(ValueError, match="too large: at most 5,000"):
        ScoreModel(runs, weighted(MEASURE))
