"""Regression: its promises and its standard errors."""

import numpy as np
import pytest

import leadline
from leadline.completions.estimator import TrainingData
from leadline.completions.regression import Regression
from leadline.data.lists import Lists
from leadline.io.datasets import COLLECTION
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.collections import Small


def test_gains_come_closer_to_the_truth_than_nothing() -> None:
    read = leadline.read(COLLECTION)
    measure = RBP(p=0.95, k=30)
    pool = Depth(2).pool(read.runs)
    judgments = pool.restrict(read.judgments)
    truth = measure.score(Lists.of(read.runs, read.judgments))
    evidence = TrainingData(measure, read.runs, judgments, pool)
    scores = Regression(draws=10).gains(evidence).scores("Regression")
    off = np.abs(scores.value - truth.lower)
    assert off.mean() < np.abs(scores.lower - truth.lower).mean() * 0.6
    assert scores.standard_error is not None
    assert 0.7 < (off <= 2 * scores.standard_error + 1e-9).mean() <= 1.0


def test_the_same_seed_gives_the_same_error_and_another_does_not() -> None:
    read = leadline.read(COLLECTION)
    measure = RBP(p=0.95)
    judgments = Depth(5).pool(read.runs).restrict(read.judgments)
    evidence = TrainingData(measure, read.runs, judgments)
    errors = [Regression(draws=3, seed=seed).gains(evidence).standard_error for seed in (1, 1, 2)]
    assert (errors[0] == errors[1]).all()  # type: ignore[union-attr]
    assert (errors[0] != errors[2]).any()  # type: ignore[operator]


def test_grades_give_expected_gains() -> None:
    """Where all judged documents have the top grade, the gain is that grade's."""
    small = Small(
        {"a": {"1": ["x", "y", "z"]}, "b": {"1": ["y", "x", "w"]}}, {"1": {"x": 3, "y": 3}}, 3
    )
    runs, judgments = small.tables()
    measure = RBP(p=0.8, gains="grade")
    gains = Regression().gains(TrainingData(measure, runs, judgments))
    open_ = ~judgments.judged[runs.pair]
    assert (gains.gain[open_] > 1).all()
    assert (gains.gain <= 3).all()


@pytest.mark.parametrize("wrong", [{"draws": 1}, {"draws": -1}, {"deep": 0}])
def test_wrong_parameters_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Regression(**wrong)  # type: ignore[arg-type]


def test_a_document_has_the_same_gain_in_every_list() -> None:
    read = leadline.read(COLLECTION)
    judgments = Depth(5).pool(read.runs).restrict(read.judgments)
    gain = Regression().gains(TrainingData(RBP(p=0.95), read.runs, judgments)).gain
    least, most = np.full(len(read.runs.pairs), 9.0), np.zeros(len(read.runs.pairs))
    np.minimum.at(least, read.runs.pair, gain)
    np.maximum.at(most, read.runs.pair, gain)
    assert (most == least)[np.unique(read.runs.pair)].all()
