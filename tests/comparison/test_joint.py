"""Joint intervals of all pairs: equal to those with one reference, and true for completions."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.comparison.joint import joint_intervals, same_lists
from leadline.measures.joint_difference import joint_differences
from leadline.measures.measure import parse_measure
from leadline.measures.weighted import Weighted
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs
from tests.collections import Small, small_collections

WEIGHTED = ["RBP(p=0.8)", "P@3", "DCG@4", "RBP(p=0.5, gains=linear)"]


@given(small_collections(n_docs=6, n_runs=4), st.sampled_from(WEIGHTED))
def test_all_pairs_equal_each_reference(small: Small, name: str) -> None:
    runs, judgments = small.tables()
    measure = parse_measure(name)
    assert isinstance(measure, Weighted)
    scores = measure.score(Lists.of(runs, judgments))
    joint = joint_intervals(runs, judgments, measure, scores)
    for reference in range(len(runs.names)):
        value, lower, upper = joint_differences(runs, judgments, measure, reference).mean()
        assert np.allclose(joint.lower[:, reference], lower, atol=1e-11)
        assert np.allclose(joint.upper[:, reference], upper, atol=1e-11)
        assert (joint.lower[:, reference] <= value + 1e-12).all()
        assert (joint.upper[:, reference] >= value - 1e-12).all()
    assert (joint.lower == -joint.upper.T).all()
    own = (scores.upper - scores.lower).mean(axis=1)
    assert np.allclose(joint.residual + joint.tail, own, atol=1e-12)


@settings(max_examples=40)
@given(small_collections(n_docs=4, n_topics=2, n_runs=3, max_grade=2, judged=0.7))
@pytest.mark.parametrize("name", ["RBP(p=0.8)@4", "P@2", "nDCG@3", "AP", "ERR@3", "RR"])
def test_no_completion_leads_outside(name: str, small: Small) -> None:
    runs, judgments = small.tables()
    measure = parse_measure(name)
    joint = joint_intervals(runs, judgments, measure, measure.score(Lists.of(runs, judgments)))
    listed = np.unique(runs.pair)
    open_ = listed[~judgments.judged[listed]][:5]
    for grades in itertools.product((0, small.max_grade), repeat=len(open_)):
        judged, grade = judgments.judged.copy(), judgments.grade.copy()
        judged[open_], grade[open_] = True, grades
        more = Judgments(judgments.pairs, judged, grade, max_grade=small.max_grade)
        mean = measure.score(Lists.of(runs, more)).mean()
        difference = mean[:, None] - mean[None, :]
        known = ~np.isnan(difference)
        assert (difference >= joint.lower - 1e-9)[known].all()
        assert (difference <= joint.upper + 1e-9)[known].all()


@settings(max_examples=40)
@given(small_collections(n_runs=3))
def test_the_same_lists_cannot_be_told_apart(small: Small) -> None:
    copies = {**small.runs, "copy": small.runs["run0"]}
    runs, judgments = Small(copies, small.grades, small.max_grade).tables()
    last = len(copies) - 1
    for name in (*WEIGHTED, "AP", "nDCG@3"):
        measure = parse_measure(name)
        joint = joint_intervals(runs, judgments, measure, measure.score(Lists.of(runs, judgments)))
        assert joint.lower[0, last] == joint.upper[0, last] == 0
        assert not joint.certain[0, last]


def test_lists_are_the_same_down_to_a_depth() -> None:
    lists = {"a": {"1": ["x", "y"]}, "b": {"1": ["x", "z"]}, "c": {"1": ["x"]}}
    runs: Runs = Small(lists, {"1": {}}, 1).tables()[0]
    assert same_lists(runs, 1).all()
    assert same_lists(runs, 2).tolist() == np.eye(3, dtype=bool).tolist()


def test_a_measure_without_interval_has_none() -> None:
    runs, judgments = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1).tables()
    measure = parse_measure("bpref")
    joint = joint_intervals(runs, judgments, measure, measure.score(Lists.of(runs, judgments)))
    assert np.isnan(joint.lower).all()
    assert not joint.certain.any()
