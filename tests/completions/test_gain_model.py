"""Expected gains: of all documents or of some, by one step or by several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import Evidence
from leadline.completions.features import RankFeatures
from leadline.completions.gain_model import fit_gain_model
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.tries import tries


@pytest.mark.parametrize("grade", [0, 1])
def test_documents_that_are_all_alike_give_gains_that_are(grade: int) -> None:
    small = Small(
        {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d3", "d4", "d5"]}},
        {"1": {"d1": grade, "d2": grade, "d3": grade}},
        1,
    )
    evidence = Evidence(parse_measure("P@3"), *small.tables())
    feature = RankFeatures(evidence.contributors.postings, np.ones(2), 0.01)
    gains = fit_gain_model(evidence, feature).gains(np.arange(len(feature)))
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
    evidence = Evidence(parse_measure("DCG@10"), runs, judgments)
    feature = RankFeatures(evidence.contributors.postings, np.ones(3), 0.01)
    model = fit_gain_model(evidence, feature)
    gains = model.gains(np.arange(len(runs.pairs)))
    assert [step.least for step in model.steps] == [1, 2, 3]
    assert gains.min() >= 0
    assert gains.max() <= evidence.max_gain
    top = [gains[pair] for pair in range(len(runs.pairs)) if runs.pairs.name(pair)[1] < "d08"]
    low = [gains[pair] for pair in range(len(runs.pairs)) if runs.pairs.name(pair)[1] >= "d40"]
    assert np.mean(top) > 2 * np.mean(low)


@given(small=small_collections(n_docs=8, n_runs=3, judged=0.8), seed=st.integers(0, 99))
@tries(8)
def test_a_model_of_some_pairs_is_that_of_all(small: Small, seed: int) -> None:
    """As long as every judged pair is among them."""
    evidence = Evidence(parse_measure("DCG@5"), *small.tables())
    teachers = evidence.contributors
    voice = np.ones(len(teachers))
    whole = fit_gain_model(evidence, RankFeatures(teachers.postings, voice, 0.01))
    chance = np.random.default_rng(seed).random(len(evidence.runs.pairs)) < 0.4
    some = np.flatnonzero(evidence.judgments.judged | chance)
    feature = RankFeatures(teachers.postings_of(some), voice, 0.01)
    part = fit_gain_model(evidence, feature, some)
    gains = part.gains(np.arange(len(some)))
    assert gains == pytest.approx(whole.gains(some), abs=1e-9)


def test_drawn_logits_vary_around_the_models() -> None:
    random = np.random.default_rng(1)
    docs = [f"d{number}" for number in range(30)]
    lists = {run: {topic: random.permutation(docs).tolist() for topic in "12345"} for run in "abc"}
    grades = {topic: {doc: int(random.random() < 0.4) for doc in docs[:20]} for topic in "12345"}
    evidence = Evidence(parse_measure("P@5"), *Small(lists, grades, 1).tables())
    feature = RankFeatures(evidence.contributors.postings, np.ones(3), 0.01)
    (step,) = fit_gain_model(evidence, feature).steps
    drawn = step.drawn(400, random)
    moved = (
        drawn.coefficient @ step.standard(np.arange(len(step.topic))).T + drawn.level[:, step.topic]
    )
    assert (moved.std(axis=0) > 0).all()
    assert (np.abs(moved.mean(axis=0)) < 4 * moved.std(axis=0) / np.sqrt(400)).all()


def test_no_feature_counts_beyond_where_it_was_judged() -> None:
    small = Small({"a": {"1": ["d1", "d2", "d3", "d4"]}}, {"1": {"d1": 1, "d2": 0}}, 1)
    evidence = Evidence(parse_measure("P@4"), *small.tables())
    (step,) = fit_gain_model(evidence, np.array([[1.0], [3.0], [-5.0], [9.0]])).steps
    assert step.feature[np.arange(4)].ravel().tolist() == [1.0, 3.0, 1.0, 3.0]
    assert step.logit[2:].tolist() == step.logit[:2].tolist()
