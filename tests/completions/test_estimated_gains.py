"""Scores from estimated gains: of the measure they were made for, or of another one."""

import numpy as np
import pytest

from leadline.completions import regression
from leadline.completions.estimator import TrainingData
from leadline.completions.regression import Regression
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from tests.collections import Small


def evidence() -> TrainingData:
    lists = {"a": {"1": ["x", "y", "z"]}, "b": {"1": ["y", "w"]}}
    return TrainingData(RBP(p=0.8), *Small(lists, {"1": {"x": 1, "y": 0}}, 1).tables())


def test_another_measure_has_the_same_gains_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "FEWEST_JUDGED", 1)
    gains = Regression(draws=2).gains(evidence())
    own, other = gains.scores("Regression"), gains.scores("Regression", P(k=3))
    assert own.standard_error is not None
    assert other.standard_error is None
    assert other.measure == "P@3"
    assert other.value[0, 0] == pytest.approx(gains.gain[:3].sum() / 3)


def test_gains_of_another_shape_and_condensed_lists_are_refused() -> None:
    gains = Regression(draws=2).gains(evidence())
    with pytest.raises(ValueError, match="gain must have shape"):
        type(gains)(gains.evidence, np.zeros(1), gains.tail)
    with pytest.raises(ValueError, match="leaves unjudged documents out"):
        gains.scores("Regression", P(k=3, judged_only=True))
