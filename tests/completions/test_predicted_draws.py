"""New runs by draws of grades: what Regression draws, inside what is certain, always the same."""

import numpy as np
import pytest

import leadline
from leadline.completions.adjuster import PoolBias
from leadline.completions.predicted import Predicted
from leadline.completions.predicted_draws import PredictedDraws
from leadline.completions.regression import Regression
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool


def bias(name: str, depth: int = 5) -> PoolBias:
    """Corran's runs come anew to a pool of the demo."""
    sea = leadline.read(COLLECTION, depth=30)
    new = np.array(sea.runs.group, object) == "Corran"
    inside = sea.runs.only(~new).best_rank <= depth
    return PoolBias(
        parse_measure(name),
        sea.runs,
        sea.judgments.only(inside),
        contributing=~new,
        new=new,
        drawn=DrawnPool(Depth(depth), sea.runs, 0),
    )


@pytest.mark.parametrize("name", ["nDCG@10", "AP"])
def test_it_is_what_regression_expects_of_these_runs(name: str) -> None:
    evidence = bias(name)
    found = PredictedDraws.of(evidence, 3)
    drawn = Regression(seed=3).drawn(evidence)
    at = [evidence.runs.names.index(each) for each in evidence.new_names]
    np.testing.assert_allclose(found.expected, drawn.means().mean(axis=0)[at], atol=1e-9)
    certain = evidence.measure.score(evidence.new_lists())
    assert (found.expected >= certain.mean_lower() - 1e-9).all()
    assert (found.expected <= certain.mean_upper() + 1e-9).all()


@pytest.mark.parametrize("name", ["nDCG@10", "AP"])
def test_without_a_known_error_there_are_bounds_and_no_prediction_interval(name: str) -> None:
    evidence = bias(name)
    made = Predicted().adjust(evidence)
    certain = evidence.measure.score(evidence.new_lists())
    np.testing.assert_allclose(made.lower, certain.mean_lower())
    np.testing.assert_allclose(made.upper, certain.mean_upper())
    for figures in (made.standard_error, made.pred_lower, made.pred_upper):
        assert np.isnan(figures).all()
    assert all("no error" in doubts[-1] for doubts in made.doubts)
    again = Predicted().adjust(evidence)
    assert (made.adjusted == again.adjusted).all()
