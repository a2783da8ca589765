"""Regression: its promises, its calibration and its standard errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.demo import COLLECTION
from leadline.estimators.edge_calibration import Calibration, calibrate
from leadline.estimators.estimator import estimated_scores
from leadline.estimators.group_evidence import ABSENT, best_ranks, group_evidence, voices
from leadline.estimators.learnt import Regression
from leadline.estimators.list_levels import ListLevels
from leadline.measures.rbp import RBP
from leadline.pools.depth import Depth
from leadline.tables.lists import Lists
from tests.collections import Small, small_collections


def tables() -> Small:
    return Small(
        {"a1": {"1": ["x", "y", "z"]}, "a2": {"1": ["x", "y"]}, "b": {"1": ["z", "w"]}},
        {"1": {"x": 1, "y": 0, "z": 0, "w": 0}},
        1,
    )


def test_a_groups_runs_are_one_voice() -> None:
    runs, _ = tables().tables()
    grouped = type(runs)(runs.pairs, runs.names, runs.pair, runs.start, runs.stop, ("a", "a", "b"))
    assert voices(grouped, by_group=True).tolist() == [0.5, 0.5, 1.0]
    assert voices(grouped, by_group=False).tolist() == [1.0, 1.0, 1.0]
    names = [runs.pairs.name(at)[1] for at in range(4)]
    assert names == ["w", "x", "y", "z"]
    feature = group_evidence(grouped)
    share = dict(zip(names, feature[:, 5].tolist(), strict=True))
    assert share == pytest.approx({"w": 0.5, "x": 0.5, "y": 0.5, "z": 0.75})
    assert best_ranks(grouped).tolist() == [2.0, 1.0, 2.0, 1.0]
    second = dict(zip(names, np.exp(feature[:, 8]).tolist(), strict=True))
    assert second == pytest.approx({"w": ABSENT, "x": 1, "y": 2, "z": 3})


def test_a_copy_of_a_run_in_its_own_group_changes_only_the_places() -> None:
    runs, _ = tables().tables()
    one = runs.only(np.array([True, False, True]))
    grouped = type(runs)(runs.pairs, runs.names, runs.pair, runs.start, runs.stop, ("a", "a", "b"))
    same = np.abs(group_evidence(one)[:, :8] - group_evidence(grouped)[:, :8])
    x = 1
    assert same[x].max() == pytest.approx(0)


def test_calibration_finds_a_shift_and_a_slope() -> None:
    random = np.random.default_rng(0)
    logit = random.normal(0, 2, 50_000)
    relevant = random.random(len(logit)) < 1 / (1 + np.exp(-(0.5 + 0.7 * logit)))
    found = calibrate(logit, relevant)
    assert found.shift == pytest.approx(0.5, abs=0.05)
    assert found.slope == pytest.approx(0.7, abs=0.03)
    assert Calibration()(np.array([0.5])).tolist() == [0.5]


def test_gains_come_closer_to_the_truth_than_nothing() -> None:
    read = leadline.read(COLLECTION)
    measure = RBP(p=0.95, k=30)
    pool = Depth(2).pool(read.runs)
    judgments = pool.restrict(read.judgments)
    truth = measure.score(Lists.of(read.runs, read.judgments))
    found = Regression(bootstrap=10).gains(measure, read.runs, judgments, pool)
    scores = estimated_scores(measure, read.runs, judgments, found, "Regression")
    off = np.abs(scores.value - truth.lower)
    assert off.mean() < np.abs(scores.lower - truth.lower).mean() * 0.6
    assert scores.standard_error is not None
    assert 0.7 < (off <= 2 * scores.standard_error + 1e-9).mean() <= 1.0


def test_the_same_seed_gives_the_same_error_and_another_does_not() -> None:
    read = leadline.read(COLLECTION)
    measure = RBP(p=0.95)
    judgments = Depth(5).pool(read.runs).restrict(read.judgments)
    errors = [
        Regression(bootstrap=3, seed=seed).gains(measure, read.runs, judgments).standard_error
        for seed in (1, 1, 2)
    ]
    assert (errors[0] == errors[1]).all()  # type: ignore[union-attr]
    assert (errors[0] != errors[2]).any()  # type: ignore[operator]


def test_grades_give_expected_gains() -> None:
    """Where all judged documents have the top grade, the gain is that grade's."""
    small = Small(
        {"a": {"1": ["x", "y", "z"]}, "b": {"1": ["y", "x", "w"]}}, {"1": {"x": 3, "y": 3}}, 3
    )
    runs, judgments = small.tables()
    measure = RBP(p=0.8, gains="grade")
    found = Regression(bootstrap=0).gains(measure, runs, judgments)
    open_ = ~judgments.judged[runs.pair]
    assert (found.gain[open_] > 2).all()
    assert (found.gain <= 3).all()


@pytest.mark.parametrize("wrong", [{"bootstrap": 1}, {"bootstrap": -1}, {"evidence": "topics"}])
def test_wrong_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Regression(**wrong)  # type: ignore[arg-type]


def level(documents: list[tuple[float, bool]], scale: float) -> float:
    """Where the slope of log loss + (level / scale)^2 / 2 is 0, by halving."""
    low, high = -20.0, 20.0
    for _ in range(100):
        middle = (low + high) / 2
        slope = middle / scale**2 + sum(1 / (1 + math.exp(-z - middle)) - y for z, y in documents)
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low


@given(small_collections(n_docs=6, n_runs=3, n_topics=2, judged=0.7), st.integers(0, 10))
def test_levels_of_lists_are_where_the_slope_is_nought(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    logit = np.random.default_rng(seed).normal(0, 2, len(runs.pairs))
    relevant = judgments.grade >= 1
    found = ListLevels.of(runs, judgments, logit, relevant)
    number = {runs.pairs.name(pair): pair for pair in range(len(runs.pairs))}
    for run, name in enumerate(runs.names):
        known = {
            topic: [
                (float(logit[number[topic, doc]]), bool(relevant[number[topic, doc]]))
                for doc in small.runs[name].get(topic, [])
                if judgments.judged[number[topic, doc]]
            ]
            for topic in runs.pairs.topics
        }
        of_run = level([each for documents in known.values() for each in documents], 1.0)
        for at, topic in enumerate(runs.pairs.topics):
            more = level([(z + of_run, y) for z, y in known[topic]], 0.5)
            ours = found.level[run * len(runs.pairs.topics) + at]
            assert ours == pytest.approx(of_run + more, abs=1e-8)


def test_without_levels_of_their_own_all_lists_have_the_same_gains() -> None:
    read = leadline.read(COLLECTION)
    judgments = Depth(5).pool(read.runs).restrict(read.judgments)
    for own in (True, False):
        gain = Regression(bootstrap=0, own=own).gains(RBP(p=0.95), read.runs, judgments).gain
        least, most = np.full(len(read.runs.pairs), 9.0), np.zeros(len(read.runs.pairs))
        np.minimum.at(least, read.runs.pair, gain)
        np.maximum.at(most, read.runs.pair, gain)
        same = (most - least)[np.unique(read.runs.pair)].max()
        assert (same == 0) != own
