"""Shares of unjudged ranks, the doubt they cast, and intervals cut to what is possible."""

import numpy as np
from hypothesis import given

from leadline.completions.adjuster import inside_certain, unjudged_doubts, unjudged_share
from tests.collections import Small, small_collections
from tests.completions.last_is_new import as_dicts, pool_bias
from tests.tries import tries


@given(small=small_collections(n_docs=8, n_runs=3))
@tries(15)
def test_the_share_unjudged_is_that_of_the_first_ranks(small: Small) -> None:
    _, new = as_dicts(small)
    listed = [(topic, doc) for topic, docs in new.items() for doc in docs[:3]]
    unjudged = [doc for topic, doc in listed if doc not in small.grades[topic]]
    share = len(unjudged) / len(listed) if listed else 0.0
    evidence = pool_bias(small, "P@3", 2, new=np.arange(len(small.runs)) == len(small.runs) - 1)
    assert unjudged_share(evidence).tolist() == [share]


def test_many_unjudged_ranks_are_a_reason_to_doubt() -> None:
    assert unjudged_doubts(0.5) == ["50% of its ranks are unjudged"]
    assert unjudged_doubts(0.3) == []


def test_intervals_end_where_the_certain_one_does() -> None:
    small = Small({"a": {"1": ["x"]}, "b": {"1": ["x", "y"]}}, {"1": {"x": 1}}, 1)
    evidence = pool_bias(small, "P@2", 1)
    certain = evidence.measure.score(evidence.new_lists())
    low, high = inside_certain(np.array([0.2]), np.array([1.7]), certain)
    assert (low.tolist(), high.tolist()) == ([0.5], [1.0])
    condensed = pool_bias(small, "P(judged_only=true)@2", 1)
    unbounded = condensed.measure.score(condensed.new_lists())
    low, high = inside_certain(np.array([0.2]), np.array([1.7]), unbounded)
    assert (low.tolist(), high.tolist()) == ([0.2], [1.7])
