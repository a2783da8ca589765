"""Holm's and Benjamini and Hochberg's corrections."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leadline.stats.significance import corrected

values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(values)
def test_bh_equals_scipy(p: list[float]) -> None:
    assert np.allclose(corrected(np.array(p), "bh"), stats.false_discovery_control(p), atol=1e-15)


@given(values, st.floats(0.001, 0.5))
def test_holm_rejects_step_by_step(p: list[float], level: float) -> None:
    rejected = []
    left = sorted(range(len(p)), key=p.__getitem__)
    while left and p[left[0]] * len(left) < level:
        rejected.append(left.pop(0))
    found = np.flatnonzero(corrected(np.array(p), "holm") < level).tolist()
    assert found == sorted(rejected)


@given(values)
def test_corrected_is_never_below_raw_nor_above_1_and_keeps_the_order(p: list[float]) -> None:
    raw = np.array(p)
    for how in ("holm", "bh"):
        made = corrected(raw, how)
        assert (made >= raw).all()
        assert (made <= 1).all()
        assert (np.diff(made[np.argsort(raw, kind="stable")]) >= 0).all()


def test_missing_p_values_are_no_tests() -> None:
    p = np.array([0.01, np.nan, 0.04])
    assert np.isnan(corrected(p, "holm")[1])
    assert corrected(p, "holm")[0] == corrected(p[[0, 2]], "holm")[0]
    assert np.isnan(corrected(np.full(3, np.nan), "bh")).all()
    assert corrected(p, "none")[2] == 0.04
