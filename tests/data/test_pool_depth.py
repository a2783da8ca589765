"""How deep runs were pooled, by what was judged."""

import numpy as np

import leadline
from leadline.data.pool import pool_depth
from leadline.io.datasets import COLLECTION
from leadline.pooling.strategies import Depth
from tests.views.small import plain


def test_the_depth_is_found_although_a_few_judgments_lack() -> None:
    read = leadline.read(COLLECTION)
    for depth in (1, 5, 12):
        member = Depth(depth).pool(read.runs).member
        # Every fiftieth document of the pool was lost.
        lost = np.zeros(len(member), np.bool_)
        lost[np.flatnonzero(member)[::50]] = True
        judged = plain(read.judgments, read.judgments.judged & member & ~lost)
        assert pool_depth(read.runs, judged) == depth
    nothing = plain(read.judgments, np.zeros(len(read.runs.pairs), np.bool_))
    assert pool_depth(read.runs, nothing) is None
