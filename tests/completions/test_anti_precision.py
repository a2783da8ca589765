"""Lipani's correction equals its plain twin."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.pooling_bias import Lipani
from tests.collections import Small, small_collections
from tests.completions.last_is_new import as_dicts, pool_bias
from tests.reference import adjusters as plain


@pytest.mark.parametrize("merge", ["average", "replace"])
@given(small=small_collections(n_docs=8, n_runs=4), n=st.integers(1, 5))
def test_lipani_equals_its_twin(merge: str, small: Small, n: int) -> None:
    if len(small.runs) < 2:
        return
    pooled, new = as_dicts(small)
    twin = plain.lipani(pooled, new, small.grades, n, list(small.grades), merge)  # type: ignore[arg-type]
    found = Lipani(merge).amounts(pool_bias(small, f"P@{n}", 3))[0]  # type: ignore[arg-type]
    assert math.isclose(found, twin.adjustment, abs_tol=1e-12)


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "P(judged_only=true)@3"])
def test_only_precision_is_put_right(name: str) -> None:
    small = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1)
    with pytest.raises(ValueError, match="puts right P@n only"):
        Lipani("replace").check(pool_bias(small, name, 1))
