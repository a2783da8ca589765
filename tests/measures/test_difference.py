"""Joint intervals of differences equal brute force, and are never wider than the runs' own."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings

from leadline.measures.joint_difference import joint_differences
from leadline.measures.measure import measures
from leadline.tables.lists import Lists
from tests.collections import Small, small_collections
from tests.reference import measures as plain
from tests.reference.bounds import difference_bounds

WEIGHTED = {
    "RBP(p=0.7)": lambda top: partial(plain.rbp, p=0.7, max_grade=top),
    "P@3": lambda top: partial(plain.precision, k=3),
    "SDCG(gains=linear)@4": lambda top: partial(plain.sdcg, k=4, gains="linear", max_grade=top),
    "DCG@3": lambda top: partial(plain.dcg, k=3, max_grade=top),
}


@pytest.mark.parametrize("name", WEIGHTED)
@given(small=small_collections(n_docs=5, n_topics=2, n_runs=3, max_grade=2, judged=0.5))
@settings(deadline=None, max_examples=50)
def test_both_ends_are_reached_by_some_completion(name: str, small: Small) -> None:
    runs, judgments = small.tables()
    twin = WEIGHTED[name](small.max_grade)
    found = joint_differences(runs, judgments, measures.parse(name), 0)
    reference = next(iter(small.runs.values()))
    for r, lists in enumerate(small.runs.values()):
        for t, topic in enumerate(runs.pairs.topics):
            low, high = difference_bounds(
                twin, lists[topic], reference[topic], small.grades[topic], small.max_grade
            )
            assert abs(found.lower[r, t] - low) < 1e-12
            assert abs(found.upper[r, t] - high) < 1e-12


@given(small_collections(n_runs=4))
@settings(deadline=None)
def test_never_wider_than_the_runs_own_intervals_imply(small: Small) -> None:
    runs, judgments = small.tables()
    measure = measures.parse("RBP(p=0.8)")
    own = measure.score(Lists.of(runs, judgments))
    for reference in range(len(runs.names)):
        joint = joint_differences(runs, judgments, measure, reference)
        assert (joint.upper <= own.upper - own.lower[reference] + 1e-12).all()
        assert (joint.lower >= own.lower - own.upper[reference] - 1e-12).all()
        assert np.allclose(joint.value, own.value - own.value[reference], atol=1e-12)
        back = joint_differences(runs, judgments, measure, 0)
        mirrored = joint_differences(runs, judgments, measure, reference)
        assert np.allclose(back.upper[reference], -mirrored.lower[0], atol=1e-12)
