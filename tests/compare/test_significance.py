"""The Wilcoxon test equals its plain twin and scipy's."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from leadline.compare.significance import wilcoxon
from tests.reference.significance import wilcoxon_one_tailed

tables = st.integers(3, 14).flatmap(
    lambda n: st.tuples(*(arrays(np.float64, (3, n), elements=st.integers(0, 6).map(float)),) * 2)
)


@given(tables)
@settings(deadline=None)
def test_every_row_equals_the_twin_and_scipy(pair: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = pair
    ours = wilcoxon(first, second)
    for row in range(3):
        expected = wilcoxon_one_tailed(list(first[row]), list(second[row]))
        if math.isnan(expected):
            assert math.isnan(ours[row])
            continue
        assert abs(ours[row] - expected) < 1e-12
        peer = stats.wilcoxon(
            first[row], second[row], alternative="greater", correction=True, method="asymptotic"
        )
        assert abs(ours[row] - peer.pvalue) < 1e-12
