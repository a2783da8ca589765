"""The self-test errs as lu17's replay does, picks theta, and hides what it says it hides."""

from collections.abc import Iterator

import numpy as np
import pytest

import leadline
from leadline.completions.coverage import gamma
from leadline.completions.estimator import TrainingData, estimators
from leadline.completions.self_test import CANDIDATES, THRESHOLDS, self_test
from leadline.io.datasets import COLLECTION
from leadline.lab.papers.lu17_plan import Lu17Setup, forget, per_topic, setup
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth

PLAIN = ("LowerBound", "ListMean", "Linear", "TwoStage(fit=scores)")


@pytest.fixture(autouse=True)
def _free_memory() -> Iterator[None]:
    yield
    forget()


def evidence(on: Lu17Setup) -> TrainingData:
    return TrainingData(RBP(p=0.95), on.runs, on.judgments, Depth(10).pool(on.runs))


def test_errors_are_those_of_the_papers_replay() -> None:
    on = setup(str(COLLECTION), 10, None)
    found = self_test(evidence(on), PLAIN, thetas=(0.0,))
    assert set(found["depth"]) == {10}
    assert set(found["shallow"]) == {5}
    for name in PLAIN:
        scores, _ = on.scores(estimators.parse(name), on.evidence(*on.shallow(5)))
        theirs = per_topic(scores.value, on.truth())
        row = found.filter(estimator=name).row(0, named=True)
        assert row["rmse"] == pytest.approx(np.mean(theirs["rms"])), name
        assert row["inside"] == pytest.approx(np.mean(theirs["zeros"])), name
        assert row["ci_lower"] < row["rmse"] < row["ci_upper"]
    assert found["rmse"].is_sorted()


def test_the_best_theta_is_found_and_a_given_one_kept() -> None:
    on = setup(str(COLLECTION), 10, None)
    (name,) = self_test(evidence(on), ["Linear"])["estimator"]
    theta = estimators.parse(name).theta
    assert theta in THRESHOLDS
    shallow = on.evidence(*on.shallow(5))
    linear = per_topic(on.scores(estimators.parse("Linear"), shallow)[0].value, on.truth())["rms"]
    lowest = per_topic(on.scores(estimators.parse("LowerBound"), shallow)[0].value, on.truth())
    mixed = {
        each: np.where((gamma(shallow) > each) | (each == 0), linear, lowest["rms"]).mean()
        for each in THRESHOLDS
    }
    assert mixed[theta] == pytest.approx(min(mixed.values()))
    (kept,) = self_test(evidence(on), ["Linear(theta=0.012)"])["estimator"]
    assert kept == "Linear(theta=0.012)"


def test_what_is_hidden_lies_where_the_measure_looks() -> None:
    on = setup(str(COLLECTION), 10, None)
    shallow = evidence(on).but(measure=P(k=4))
    assert set(self_test(shallow, PLAIN)["depth"]) == {4}
    with pytest.raises(ValueError, match="needs a depth of 2 or more"):
        self_test(evidence(on).but(measure=P(k=1)), PLAIN)


def test_estimate_tells_which_estimator_errs_least() -> None:
    asked = ["LowerBound", "Midpoint"]
    made = leadline.estimate(COLLECTION, None, "RBP(p=0.8)", asked, pool_depth=6)
    frame = made.self_test().frame
    assert len(frame) == len(CANDIDATES) + 1
    assert "Midpoint" in frame["estimator"]
    assert frame["rmse"][0] < frame.filter(estimator="LowerBound")["rmse"].item()
