"""The reference test against hand-worked values and scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon  # type: ignore[import-untyped, unused-ignore]

from .significance import wilcoxon_one_tailed


def test_wilcoxon_by_hand() -> None:
    # Differences 1, 2, -3, 0 and 4: V = 1 + 2 + 4 = 7, mean 5, variance 4 * 5 * 9 / 24 = 7.5.
    p = wilcoxon_one_tailed([1, 2, 0, 5, 4], [0, 0, 3, 5, 0])
    assert p == pytest.approx(0.5 * math.erfc(1.5 / math.sqrt(7.5) / math.sqrt(2)), abs=1e-15)
    assert math.isnan(wilcoxon_one_tailed([1, 2], [1, 2]))
    assert math.isnan(wilcoxon_one_tailed([], []))


def test_wilcoxon_with_ties_by_hand() -> None:
    # Differences 1, 1, -1, 2: ranks 2, 2, 2, 4, V = 8, mean 5, variance 7.5 - 24 / 48 = 7.
    p = wilcoxon_one_tailed([1, 1, 0, 2], [0, 0, 1, 0])
    assert p == pytest.approx(0.5 * math.erfc(2.5 / math.sqrt(7) / math.sqrt(2)), abs=1e-15)


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
