"""Predicted equals its plain twin, and refuses what it cannot put right."""

import math

import pytest
from hypothesis import given

from leadline.completions.predicted import Predicted
from tests.collections import Small, small_collections
from tests.completions.last_is_new import as_dicts, pool_bias
from tests.reference import regression as plain
from tests.tries import tries


@given(small_collections(n_docs=7, n_runs=4, n_topics=3, judged=0.8))
@tries(15)
def test_predicted_equals_the_twin(small: Small) -> None:
    grades = [grade for judged in small.grades.values() for grade in judged.values()]
    relevant = [grade >= 1 for grade in grades]
    if len(small.runs) < 2 or not any(relevant) or all(relevant):
        return
    pooled, new = as_dicts(small)
    amount = Predicted().amounts(pool_bias(small, "P@3", 3))[0]
    twin = plain.predicted(pooled, new, small.grades, [1 / 3] * 3, list(small.grades))
    assert math.isclose(amount, twin.adjustment, rel_tol=1e-6, abs_tol=1e-8)


@pytest.mark.parametrize("name", ["bpref", "P(judged_only=true)@3"])
def test_other_measures_are_refused(name: str) -> None:
    small = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1)
    with pytest.raises(ValueError, match="nDCG@10, AP, Recall@10, RR or ERR@20 for instance"):
        Predicted().check(pool_bias(small, name, 1))


def test_nothing_is_learnt_from_nothing() -> None:
    small = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {}}, 1)
    with pytest.raises(ValueError, match="nothing is judged"):
        Predicted().check(pool_bias(small, "P@1", 1))
