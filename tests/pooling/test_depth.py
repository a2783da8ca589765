"""A depth pool is the union of the runs' first documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.pooling.strategies import Depth, pools
from tests.collections import Small, small_collections
from tests.shared_data.where import collection


@given(small_collections(), st.integers(1, 6))
def test_members_are_the_first_documents_of_some_run(small: Small, depth: int) -> None:
    runs, _ = small.tables()
    pool = pools.parse(f"Depth(d={depth})").pool(runs)
    expected = {
        (topic, doc)
        for lists in small.runs.values()
        for topic, ranking in lists.items()
        for doc in ranking[:depth]
    }
    members = {runs.pairs.name(at) for at in range(len(runs.pairs)) if pool.member[at]}
    assert members == expected
    assert (pool.inclusion[pool.member] == 1).all()


def test_a_depth_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Depth(0)


@pytest.mark.slow
def test_the_judged_documents_of_trec8_are_the_depth_100_pool_of_the_pooled_runs() -> None:
    """Its README says so: exactly 86,830 pairs, none missing and none besides."""
    import leadline

    folder = collection("trec8_adhoc")
    everything = leadline.read(folder)
    pooled = everything.groups.filter("pooled")["run"].to_list()
    assert len(pooled) == 71
    paths = [folder / "runs" / f"{run}.gz" for run in pooled]
    read = leadline.read(folder / "qrels.txt.gz", paths)
    assert read.judgments.judged.sum() == 86_830
    assert (Depth(100).pool(read.runs).member == read.judgments.judged).all()
