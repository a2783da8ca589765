"""What follows from runs and judgments, worked out once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import TrainingData
from leadline.data.pool import pool_depth
from leadline.measures.ap import AP
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth, TwoStrata
from tests.collections import Small, small_collections
from tests.tries import tries


def test_the_depth_is_the_pools_or_is_found() -> None:
    lists = {"a": {"1": ["p", "q", "r"]}, "b": {"1": ["t", "p", "s"]}}
    runs, judgments = Small(lists, {"1": {"p": 1, "q": 0, "t": 0}}, 1).tables()
    evidence = TrainingData(RBP(p=0.8), runs, judgments)
    assert evidence.depth == pool_depth(runs, judgments) == 2
    assert evidence.but(pool=replace(Depth(2).pool(runs), strategy="by hand")).depth == 2
    assert evidence.but(pool=Depth(1).pool(runs)).depth == 1
    assert evidence.but(pool=TwoStrata(d=1, deep=3, rate=0.5).pool(runs)).depth == 1
    runs, judgments = Small(lists, {"1": {"r": 1}}, 1).tables()
    with pytest.raises(ValueError, match="depth of the pool"):
        _ = TrainingData(RBP(p=0.8), runs, judgments).depth


@given(small=small_collections(n_docs=8, n_runs=3), p=st.sampled_from([0.5, 0.8]))
@tries(12)
def test_sums_over_lists_are_those_of_each_list(small: Small, p: float) -> None:
    runs, judgments = small.tables()
    evidence = TrainingData(RBP(p=p), runs, judgments)
    sums = evidence.list_sums(evidence.weight * evidence.known_gain[runs.pair])
    for run, name in enumerate(runs.names):
        for at, topic in enumerate(runs.pairs.topics):
            grades, ranking = small.grades[topic], small.runs[name].get(topic, [])
            gains = [grades.get(doc, 0) >= 1 for doc in ranking]
            total = sum((1 - p) * p**rank * gain for rank, gain in enumerate(gains))
            assert sums[run, at] == pytest.approx(total)
            assert evidence.tail_weight[run, at] == pytest.approx(p ** len(ranking))


def test_a_change_that_leaves_the_ranks_keeps_what_follows_from_them() -> None:
    lists = {"b": {"1": ["p", "q"]}, "a": {"1": ["q"]}}
    runs, judgments = Small(lists, {"1": {"p": 1}}, 1).tables()
    evidence = TrainingData(RBP(p=0.8), runs, judgments)
    assert evidence.but(measure=RBP(p=0.5)).pooled_runs is evidence.pooled_runs
    nothing = judgments.only(np.zeros(2, np.bool_))
    assert evidence.but(judgments=nothing).pooled_runs is evidence.pooled_runs
    fewer = evidence.but(contributing=np.array([True, False]))
    assert fewer.pooled_runs.runs.names == ("b",)
    assert evidence.pooled_runs.runs.names == ("a", "b")


def test_what_cannot_be_is_refused() -> None:
    runs, judgments = Small({"a": {"1": ["p"]}}, {"1": {"p": 1}}, 1).tables()
    with pytest.raises(ValueError, match="no sum of weights"):
        _ = TrainingData(AP(), runs, judgments).weighted
    none = TrainingData(RBP(p=0.8), runs, judgments, contributing=np.array([False]))
    with pytest.raises(ValueError, match="at least one"):
        _ = none.pooled_runs.runs
