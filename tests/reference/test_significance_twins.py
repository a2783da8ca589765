"""The reference test against scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon  # type: ignore[import-untyped, unused-ignore]

from .significance import wilcoxon_one_tailed

# Eighths are exact, so that equal differences are equal, and there are many.
values = st.integers(0, 8).map(lambda i: i / 8) | st.floats(0, 1)


@pytest.mark.filterwarnings("ignore:Sample size too small")
@given(st.lists(st.tuples(values, values), min_size=1, max_size=60))
def test_wilcoxon_equals_scipy(paired: list[tuple[float, float]]) -> None:
    x = [a for a, _ in paired]
    y = [b for _, b in paired]
    ours = wilcoxon_one_tailed(x, y)
    if all(a == b for a, b in paired):
        assert math.isnan(ours)  # scipy divides 0 by 0 and warns
        return
    theirs = wilcoxon(x, y, method="approx", correction=True, alternative="greater")
    assert ours == pytest.approx(float(theirs.pvalue), rel=1e-9, abs=1e-15)
