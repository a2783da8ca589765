"""AP@k from drawn judgments against its plain twin; exact where all is judged; no error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import AP_DOUBT, AssistedAP, ModelAssisted, drawn_pairs, places
from leadline.data.arrays import Bools
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.judging.test_weighted_sample import collection
from tests.reference import few


@given(small_collections(judged=1.0, n_docs=6), st.integers(0, 2**32 - 1))
def test_scores_equal_the_twin(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    random = np.random.default_rng(seed)
    chance = random.uniform(0.2, 1.0, len(runs.pairs))
    judged = judgments.judged & (random.random(len(runs.pairs)) < chance)
    if not judged.any() or not len(runs.pair):
        return
    grade = np.where(judged, judgments.grade, 0)
    known = Judgments(runs.pairs, judged, grade, inclusion=chance, max_grade=judgments.max_grade)
    evidence = TrainingData(parse_measure("P@3"), runs, known)
    weights = PairWeights.of(runs, evidence.weighted)
    sample = drawn_pairs(evidence, weights, 0)
    names = [runs.pairs.name(int(pair)) for pair in weights.pair]
    if {topic for topic, _ in names} != set(runs.pairs.topics):
        return
    gains, expected, chances = (
        dict(zip(names, column.tolist(), strict=True))
        for column in (sample.gain, sample.expected, sample.inclusion)
    )
    drawn = {name for name, was in zip(names, sample.drawn, strict=True) if was}
    found = AssistedAP.of(weights, sample, 3).of_mean
    for run, by_topic in enumerate(places(weights, 3).tolist()):
        lists = {
            topic: [names[row] for row in rows if row >= 0]
            for topic, rows in zip(runs.pairs.topics, by_topic, strict=True)
        }
        twin = few.ap(lists, gains, expected, chances, drawn)
        assert found.value[run] == pytest.approx(twin, abs=1e-9)


def test_where_all_is_judged_it_is_the_score_and_offers_no_error() -> None:
    runs, judgments = collection()
    held = np.zeros(len(runs.pairs), np.bool_)
    held[runs.pair] = True
    grade = np.where(held, judgments.grade, 0)
    all_of_it = Judgments(runs.pairs, held, grade, inclusion=held.astype(np.float64))
    measure = parse_measure("AP@10")
    found = ModelAssisted().drawn(TrainingData(measure, runs, all_of_it))
    score = measure.score(Lists.of(runs, all_of_it)).value
    assert found.of_mean.value == pytest.approx(score.mean(axis=1))
    assert found.value == pytest.approx(score)
    assert np.isnan(found.of_mean.standard_error).all()
    assert np.isnan(found.of_mean.margin()).all()
    assert AP_DOUBT in found.doubts


def test_ap_of_whole_lists_is_refused() -> None:
    runs, judgments = collection()
    sampled = Judgments(
        runs.pairs, judgments.judged, judgments.grade, inclusion=np.ones(len(runs.pairs))
    )
    for name, estimator in (("AP", ModelAssisted()), ("AP@10", ModelAssisted(shrink=True))):
        with pytest.raises(ValueError, match="cannot estimate"):
            estimator.drawn(TrainingData(parse_measure(name), runs, sampled))


def test_many_draws_are_near_the_truth() -> None:
    """Its bias is small against the error of one draw."""
    runs, judgments = collection()
    measure = parse_measure("P@10")
    weights = PairWeights.of(runs, measure)  # type: ignore[arg-type]
    truth = parse_measure("AP@10").score(Lists.of(runs, judgments.only(_looked_at(runs)))).value
    random = np.random.default_rng(3)
    values = []
    for _ in range(60):
        judged = random.random(len(runs.pairs)) < 0.5
        grade = np.where(judged, judgments.grade, 0)
        half = np.full(len(runs.pairs), 0.5)
        known = Judgments(runs.pairs, judged, grade, inclusion=half)
        sample = drawn_pairs(TrainingData(measure, runs, known), weights, 0)
        values.append(AssistedAP.of(weights, sample, 10).of_mean.value)
    off = np.mean(values, axis=0) - truth.mean(axis=1)
    assert np.abs(off).max() < 0.5 * np.std(values, axis=0).mean()


def _looked_at(runs: Runs) -> Bools:
    held = np.zeros(len(runs.pairs), np.bool_)
    held[runs.pair] = True
    return held
