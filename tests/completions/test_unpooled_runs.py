"""What a pool without one of its runs would have judged."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.collections import Small, small_collections
from tests.completions.last_is_new import as_dicts, pool_bias
from tests.reference import adjusters as plain
from tests.tries import tries


@given(small=small_collections(n_docs=7, n_runs=4), depth=st.integers(1, 4))
@tries(15)
def test_withdrawn_judgments_are_those_of_documents_only_one_run_pooled(
    small: Small, depth: int
) -> None:
    if len(small.runs) < 2:
        return
    evidence = pool_bias(small, "P@5", depth)
    pooled, _ = as_dicts(small)
    pairs = evidence.runs.pairs
    for pair in range(len(pairs)):
        topic, doc = pairs.name(pair)
        holders = [run for run in pooled.values() if doc in run.get(topic, [])[:depth]]
        judged = doc in small.grades[topic]
        assert evidence.alone[pair] == (judged and len(holders) == 1)
    lists = evidence.withdrawn()
    counts = evidence.lists.counts
    for run, name in enumerate(sorted(pooled)):
        others = [each for other, each in pooled.items() if other != name]
        for at, topic in enumerate(pairs.topics):
            mine = set(pooled[name].get(topic, [])[:depth])
            gone = mine - plain.pooled_docs(others, topic, depth)
            lost = [small.grades[topic][doc] for doc in gone if doc in small.grades[topic]]
            missing = counts[at] - lists.counts[run, at]
            assert missing.tolist() == np.bincount(lost, minlength=len(missing)).tolist()


def test_new_are_the_runs_that_did_not_contribute_unless_some_are_named() -> None:
    lists = {"a": {"1": ["x"]}, "b": {"1": ["y", "x"]}, "c": {"1": ["z"]}}
    evidence = pool_bias(Small(lists, {"1": {"x": 1}}, 1), "P@1", 1)
    evidence = evidence.but(contributing=np.array([True, False, False]))
    assert evidence.new_names == ("b", "c")
    some = evidence.but(new=np.array([False, True, False]))
    assert some.new_runs(1).pair.tolist() == [1]
    (rank,) = some.new_ranks()
    assert rank.tolist() == [2, 1, np.iinfo(np.int32).max]
