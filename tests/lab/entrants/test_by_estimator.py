"""Registered estimators take part as they are."""

import numpy as np
import pytest

from leadline.completions.estimator import estimators
from leadline.lab.benchmark.entrants.methods import ByEstimator
from leadline.lab.benchmark.question import Truth
from tests.lab.asked import question


def test_it_says_what_the_estimator_says() -> None:
    asked = question("shallow", 5)
    scores = estimators.parse("Linear").gains(asked.given).scores("")
    assert ByEstimator("Linear").answer(asked).value.tolist() == scores.mean().tolist()


def test_regression_offers_intervals() -> None:
    answer = ByEstimator("Regression").answer(question("shallow", 5, "RBP(p=0.95)"))
    assert answer.lower is not None
    # One run has nothing that is unjudged, and so no doubt.
    assert (answer.lower < answer.value).sum() == len(answer.value) - 1
    assert answer.gap_margin is not None


def test_any_measure_has_an_interval_by_draws() -> None:
    asked = question("shallow", 5, "AP")
    answer = ByEstimator("Regression").answer(asked)
    assert answer.lower is not None
    assert answer.upper is not None
    assert (answer.lower <= answer.value).all()
    assert (answer.value <= answer.upper).all()
    as_judged = asked.measure.score(asked.lists).mean()
    true = Truth.of(asked).value
    assert np.abs(answer.value - true).mean() < np.abs(as_judged - true).mean()


@pytest.mark.parametrize("name", [each.estimator for each in ByEstimator.variants()])
def test_who_is_given_all_judgments_is_right(name: str) -> None:
    asked = question("shallow", 99, "SDCG@100")
    asked.evidence = asked.given.but(judgments=asked.hidden, pool=None)
    told, true = ByEstimator(name).answer(asked).value, Truth.of(asked).value
    assert np.abs(told - true).max() < 1e-9


def test_tuned_methods_tell_what_they_were_made_on() -> None:
    assert "robust2004_pooled42" in ByEstimator("Regression").developed_on
    assert ByEstimator("Zipf").developed_on == ()
