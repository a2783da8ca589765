"""Regression: its promises, its calibration and its standard errors."""

import numpy as np
import pytest

import leadline
from leadline.data.lists import Lists
from leadline.demo import COLLECTION
from leadline.estimators.calibration import Calibration, calibrate
from leadline.estimators.group_evidence import ABSENT, best_ranks, group_evidence, voices
from leadline.estimators.learnt import Regression
from leadline.estimators.protocol import estimated_scores
from leadline.measures.rbp import RBP
from leadline.pools.depth import Depth
from tests.collections import Small


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
    assert Calibration()(np.array([0.0])).tolist() == [0.5]


def test_gains_come_closer_to_the_truth_than_nothing() -> None:
    read = leadline.read_collection(COLLECTION)
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
    read = leadline.read_collection(COLLECTION)
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
