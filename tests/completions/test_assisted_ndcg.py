"""nDCG from drawn judgments against its plain twin; what it refuses; that it has little bias."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import (
    AssistedNDCG,
    ModelAssisted,
    TopicIdeals,
    drawn_pairs,
    expected_sums,
    topic_sums,
)
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.reference import few


@given(st.lists(st.floats(0, 1), max_size=6), st.integers(1, 4))
def test_expected_ideals_equal_those_by_all_outcomes(chance: list[float], k: int) -> None:
    topic = np.zeros(len(chance), np.int64)
    sums, more = expected_sums(np.array(chance), topic, 1, k)
    assert (sums[0], more[0]) == pytest.approx(few.expected_ideal(chance, k), abs=1e-12)


@given(small_collections(judged=1.0, n_docs=6), st.integers(0, 2**32 - 1))
def test_scores_and_errors_equal_the_twin(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    random = np.random.default_rng(seed)
    chance = random.uniform(0.2, 1.0, len(runs.pairs))
    judged = judgments.judged & (random.random(len(runs.pairs)) < chance)
    if not judged.any() or not len(runs.pair):
        return
    known = Judgments(
        runs.pairs,
        judged,
        np.where(judged, judgments.grade, 0),
        inclusion=chance,
        max_grade=judgments.max_grade,
    )
    evidence = TrainingData(parse_measure("DCG@3"), runs, known)
    weights = PairWeights.of(runs, evidence.weighted)
    sample = drawn_pairs(evidence, weights, 0)
    names = [runs.pairs.name(int(pair)) for pair in weights.pair]
    if {topic for topic, _ in names} != set(runs.pairs.topics):
        return
    dense = weights.matrix.toarray()
    rows = {
        run: {name: float(dense[at, p]) for p, name in enumerate(names) if dense[at, p]}
        for at, run in enumerate(runs.names)
    }

    def by_name(column: np.ndarray) -> dict[few.Pair, float]:
        return dict(zip(names, column.tolist(), strict=True))

    gains, expected, chances = map(by_name, (sample.gain, sample.expected, sample.inclusion))
    grades = dict(zip(names, sample.grade.tolist(), strict=True))
    drawn = {name for name, was in zip(names, sample.drawn, strict=True) if was}
    own = sample.fold, np.arange(len(names))
    reached = {
        grade: by_name(sample.regressed((sample.grade[sample.rows] >= grade) * 1.0)[own])
        for grade in range(1, judgments.max_grade + 1)
    }
    ideal, moved = few.ideals(reached, grades, sample.table.tolist(), chances, drawn, 3)
    mean, parts = few.ndcg(rows, gains, expected, chances, drawn, ideal, moved)

    assert TopicIdeals.of(sample, 3).value == pytest.approx([*ideal.values()])
    found = AssistedNDCG.of(weights, sample, 3).of_mean
    assert found.value == pytest.approx([mean[run] for run in runs.names])
    typical = by_name(sample.spread())
    for at, run in enumerate(runs.names):
        of_known = {pair: weight / ideal[pair[0]] for pair, weight in rows[run].items()}
        least, _ = few.known_error(of_known, gains, expected, typical, chances, drawn)
        assert found.standard_error[at] ** 2 >= least - 1e-9
    error = found.difference_error()
    first, last = (parts[run] for run in (runs.names[0], runs.names[-1]))
    between = sum((first[pair] - last[pair]) ** 2 * (1 - chances[pair]) for pair in drawn)
    assert error[0, -1] ** 2 == pytest.approx(between, abs=1e-9)


def every_pair_judged() -> tuple[Small, TrainingData]:
    lists = {"a": {"1": ["x", "y", "z"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["v", "u"]}}
    small = Small(lists, {"1": {"x": 1, "y": 0, "z": 2}, "2": {"u": 0, "v": 1}}, 2)
    runs, judgments = small.tables()
    known = Judgments(
        runs.pairs, judgments.judged, judgments.grade, inclusion=np.ones(len(runs.pairs))
    )
    return small, TrainingData(parse_measure("nDCG@3"), runs, known)


def test_sums_of_topics_are_those_of_the_measure() -> None:
    _, evidence = every_pair_judged()
    weighted = evidence.measure.numerator
    assert weighted is not None
    weights = PairWeights.of(evidence.runs, weighted)
    gain = weighted.gain(2)[evidence.judgments.grade[weights.pair]]
    scores = weighted.score(Lists.of(evidence.runs, evidence.judgments))
    assert topic_sums(weights, gain) == pytest.approx(scores.value)


def test_what_is_judged_for_certain_has_the_score_of_the_measure_and_no_error() -> None:
    _, evidence = every_pair_judged()
    scores = ModelAssisted().estimated(evidence).scores("ModelAssisted")
    judged = evidence.measure.score(Lists.of(evidence.runs, evidence.judgments))
    assert scores.mean() == pytest.approx(judged.mean())
    assert scores.value == pytest.approx(judged.value)
    assert scores.mean_error() == pytest.approx([0.0, 0.0])
    assert scores.of_mean is not None
    assert not scores.of_mean.withheld


def test_other_measures_are_refused_with_those_that_are_not() -> None:
    _, evidence = every_pair_judged()
    for measure, by in (
        ("AP", ModelAssisted()),
        ("nDCG", ModelAssisted()),
        ("nDCG@3", ModelAssisted(shrink=True)),
    ):
        with pytest.raises(
            ValueError, match=r"cannot estimate .*RBP, P@k, DCG@k, SDCG@k, nDCG@k and AP@k"
        ):
            by.estimated(evidence.but(measure=parse_measure(measure)))


def test_judgments_that_nobody_drew_are_refused() -> None:
    small, _ = every_pair_judged()
    runs, judgments = small.tables()
    with pytest.raises(ValueError, match=r"sampled at random.*leadline pool"):
        ModelAssisted().estimated(TrainingData(parse_measure("nDCG@3"), runs, judgments))
