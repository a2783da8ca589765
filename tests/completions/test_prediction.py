"""What a model says of unjudged ranks, in new runs and in pooled ones beside them."""

import numpy as np
import pytest

from leadline.completions.prediction import Prediction
from tests.completions.last_is_new import SMALL, pool_bias


def test_new_runs_are_the_same_with_pooled_ones_beside_them() -> None:
    evidence = pool_bias(SMALL, "P@3", 1)
    alone, both = Prediction.of(evidence), Prediction.of(evidence, beside=True)
    assert (alone.names, both.names) == (("new",), ("new", "a", "b"))
    assert both.amounts()[0] == pytest.approx(alone.amounts()[0], rel=1e-12)


def test_documents_that_are_not_asked_for_add_nothing() -> None:
    evidence = pool_bias(SMALL, "P@3", 1)
    none = Prediction.of(evidence, among=np.zeros(len(evidence.runs.pairs), np.bool_))
    assert none.amounts().tolist() == [0.0]
