"""Gains learnt from ranks equal the plain twin's, and behave at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from leadline.adjusters.pool_bias import PoolBias, PooledAndNew
from leadline.adjusters.predicted import Predicted
from leadline.estimators.evidence import NAMES, evidence
from leadline.estimators.regression import fit_logistic, learn
from leadline.measures.measure import parse_measure
from leadline.measures.weighted import Weighted
from leadline.pools.depth import Depth
from leadline.tables.judgments import Judgments
from tests.collections import Small, small_collections
from tests.reference import regression as plain


def same_pairs(small: Small, pairs: object) -> Judgments:
    _, judgments = small.tables()
    return Judgments(pairs, judgments.judged, judgments.grade, max_grade=small.max_grade)  # type: ignore[arg-type]


@given(small_collections(n_docs=7, n_runs=4))
@settings(deadline=None)
def test_features_equal_the_twin(small: Small) -> None:
    runs, _ = small.tables()
    found = evidence(runs)
    assert found.shape == (len(runs.pairs), len(NAMES))
    listed = list(small.runs.values())
    for pair in range(len(runs.pairs)):
        twin = plain.features(plain.ranks_of(listed, *runs.pairs.name(pair)))
        assert found[pair].tolist() == pytest.approx(twin, rel=1e-12, abs=1e-12)


@given(small_collections(n_docs=7, n_runs=4, n_topics=3, judged=0.8))
@settings(deadline=None, max_examples=40)
def test_predicted_equals_the_twin(small: Small) -> None:
    grades = [grade for judged in small.grades.values() for grade in judged.values()]
    relevant = [grade >= 1 for grade in grades]
    if len(small.runs) < 2 or not any(relevant) or all(relevant):
        return
    *pooled, new = small.runs
    runs, _ = small.tables()
    last = np.arange(len(small.runs)) == len(small.runs) - 1
    field = PooledAndNew(runs.only(~last), runs.only(last))
    case = PoolBias.of(field, same_pairs(small, runs.pairs), Depth(3))
    amount = Predicted().amounts(parse_measure("P@3"), case)[0]
    twin = plain.predicted(
        {name: small.runs[name] for name in pooled},
        small.runs[new],
        small.grades,
        [1 / 3] * 3,
        list(small.grades),
    )
    assert math.isclose(amount, twin.adjustment, rel_tol=1e-6, abs_tol=1e-8)


def test_the_fit_is_where_the_slope_is_nought() -> None:
    random = np.random.default_rng(3)
    feature = random.normal(size=(300, 4))
    topic = np.sort(random.integers(0, 6, 300))
    relevant = random.random(300) < 1 / (1 + np.exp(-feature[:, 0] + topic - 3))
    model = fit_logistic(feature, topic, relevant, 7)
    standard = (feature - model.mean) / model.scale
    wrong = model.probability(feature, topic) - relevant
    assert 0.3 * standard.T @ wrong + model.coefficient == pytest.approx(np.zeros(4), abs=1e-6)
    assert wrong.sum() == pytest.approx(0, abs=1e-6)
    level = model.topic_level[:6] / 2
    slope = 0.6 * np.bincount(topic, weights=wrong, minlength=6) + level
    assert slope == pytest.approx(np.zeros(6), abs=1e-6)
    # A topic of which nothing was judged has the common level.
    assert model.topic_level[6] == 0


def test_a_weight_of_two_is_as_two_documents() -> None:
    random = np.random.default_rng(4)
    feature = random.normal(size=(60, 2))
    topic = np.repeat(np.arange(3), 20)
    relevant = random.random(60) < 0.4
    twice = np.sort(np.tile(np.arange(60), 2))
    heavy = fit_logistic(feature, topic, relevant, 3, weight=np.full(60, 2.0))
    double = fit_logistic(feature[twice], topic[twice], relevant[twice], 3)
    assert heavy.coefficient == pytest.approx(double.coefficient, abs=1e-8)


@pytest.mark.parametrize("grade", [0, 1])
def test_documents_that_are_all_alike_give_gains_that_are(grade: int) -> None:
    small = Small(
        {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d3", "d4", "d5"]}},
        {"1": {"d1": grade, "d2": grade, "d3": grade}},
        1,
    )
    runs, judgments = small.tables()
    measure = parse_measure("P@3")
    assert isinstance(measure, Weighted)
    gains = learn({}, runs, judgments, measure).gains(np.arange(len(runs.pairs)))
    assert np.abs(gains - grade).max() < 0.01


def test_graded_gains_rise_with_the_grades() -> None:
    random = np.random.default_rng(5)
    docs = [f"d{number:02}" for number in range(60)]
    lists = {
        run: {"1": [docs[at] for at in np.argsort(np.arange(60) + random.normal(0, 6, 60))]}
        for run in "abc"
    }
    grades = {"1": {doc: max(0, 3 - number // 8) for number, doc in enumerate(docs[:40])}}
    runs, judgments = Small(lists, grades, 3).tables()
    measure = parse_measure("DCG@10")
    assert isinstance(measure, Weighted)
    gains = learn({}, runs, judgments, measure).gains(np.arange(len(runs.pairs)))
    assert gains.min() >= 0
    assert gains.max() <= measure.gain(3).max()
    top = [gains[pair] for pair in range(len(runs.pairs)) if runs.pairs.name(pair)[1] < "d08"]
    low = [gains[pair] for pair in range(len(runs.pairs)) if runs.pairs.name(pair)[1] >= "d40"]
    assert np.mean(top) > 2 * np.mean(low)
