"""Open weight of two runs on each topic, against joint intervals."""

import numpy as np
from hypothesis import given

from leadline.measures.joint_difference import joint_differences
from leadline.measures.rbp import RBP
from leadline.presentation.pages.open_weight import open_weight, pair_number
from tests.collections import Small, small_collections


@given(small_collections(n_runs=4))
def test_open_weight_gives_the_joint_interval_of_every_pair(small: Small) -> None:
    runs, judgments = small.tables()
    measure = RBP(p=0.7, gains="exp2")
    found = open_weight(runs, judgments, measure)
    n = len(runs.names)
    for b in range(n):
        truth = joint_differences(runs, judgments, measure, b)
        for a in range(n):
            if a == b:
                continue
            first, second = np.array([min(a, b)]), np.array([max(a, b)])
            shared = found.shared[pair_number(first, second, n)[0]]
            upper = truth.value[a] + found.own[a] - shared
            lower = truth.value[a] - found.own[b] + shared
            np.testing.assert_allclose(upper, truth.upper[a], atol=1e-12)
            np.testing.assert_allclose(lower, truth.lower[a], atol=1e-12)
