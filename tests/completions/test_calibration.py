"""Each pooled group is taken for new in turn, as if its judgments had never been."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.adjuster import errors
from leadline.completions.pooling_bias import WebberLeaveOneOut
from tests.collections import Small, small_collections
from tests.completions.last_is_new import MEASURES, pool_bias
from tests.reference import adjusters as plain
from tests.tries import tries


@given(small=small_collections(n_docs=7, n_runs=4))
@tries(15)
def test_errors_are_those_of_pools_built_again(small: Small) -> None:
    """Every run is a group; judgments outside the pool stay."""
    evidence = pool_bias(small, "P@3", 2)
    evidence = evidence.but(contributing=np.ones(len(small.runs), np.bool_))
    found = errors(WebberLeaveOneOut(), evidence)
    if len(small.runs) < 2:
        assert not len(found)
        return
    score, _ = MEASURES["P@3"]
    topics = list(small.grades)
    twins = []
    for name in sorted(small.runs):
        others = {other: run for other, run in small.runs.items() if other != name}
        left = {}
        for topic in topics:
            mine = set(small.runs[name].get(topic, [])[:2])
            gone = mine - plain.pooled_docs(others.values(), topic, 2)
            judged = small.grades[topic]
            left[topic] = {doc: grade for doc, grade in judged.items() if doc not in gone}
        adjusted = plain.webber_runs(others, small.runs[name], left, 2, topics, score, False)
        truth = plain.mean_score(small.runs[name], topics, small.grades, score)
        twins.append(adjusted.adjusted - truth)
    assert found.tolist() == pytest.approx(twins, abs=1e-12)
