"""Joint intervals: their ends are reached by completions, and no completion leads outside."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.bounds import joint_intervals, open_weight, same_lists, topic_differences
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.measures.measure import Weighted, parse_measure
from leadline.stats.gate import MeanDifference
from tests.collections import Small, small_collections
from tests.reference import measures as plain
from tests.reference.bounds import difference_bounds
from tests.tries import tries

WEIGHTED = {
    "RBP(p=0.7)": lambda top: partial(plain.rbp, p=0.7, max_grade=top),
    "RBP(p=0.5, gains=linear)": lambda top: partial(
        plain.rbp, p=0.5, gains="linear", max_grade=top
    ),
    "P@3": lambda top: partial(plain.precision, k=3),
    "SDCG(gains=linear)@4": lambda top: partial(plain.sdcg, k=4, gains="linear", max_grade=top),
    "DCG@3": lambda top: partial(plain.dcg, k=3, max_grade=top),
}


def weighted(name: str) -> Weighted:
    measure = parse_measure(name)
    assert isinstance(measure, Weighted)
    return measure


@pytest.mark.parametrize("name", WEIGHTED)
@given(small=small_collections(n_docs=5, n_topics=2, n_runs=3, max_grade=2, judged=0.5))
@tries(20)
def test_both_ends_are_reached_on_every_topic_by_some_completion(name: str, small: Small) -> None:
    runs, judgments = small.tables()
    twin = WEIGHTED[name](small.max_grade)
    measure = weighted(name)
    value = measure.score(Lists.of(runs, judgments)).value
    open_ = open_weight(runs, judgments, measure, by_topic=True)
    lists = list(small.runs.values())
    for a, b in itertools.product(range(len(lists)), repeat=2):
        difference = value[a] - value[b]
        lower, upper = difference - open_.surplus(b, a), difference + open_.surplus(a, b)
        for t, topic in enumerate(runs.pairs.topics):
            low, high = difference_bounds(
                twin, lists[a][topic], lists[b][topic], small.grades[topic], small.max_grade
            )
            assert abs(lower[t] - low) < 1e-12
            assert abs(upper[t] - high) < 1e-12


@given(small_collections(n_docs=6, n_runs=4), st.sampled_from(list(WEIGHTED)))
def test_the_interval_of_the_mean_is_the_mean_of_the_topics_intervals(
    small: Small, name: str
) -> None:
    runs, judgments = small.tables()
    measure = weighted(name)
    scores = measure.score(Lists.of(runs, judgments))
    joint = joint_intervals(runs, judgments, measure, scores)
    open_ = open_weight(runs, judgments, measure, by_topic=True)
    mean = scores.mean()
    for a, b in itertools.product(range(len(runs.names)), repeat=2):
        upper = mean[a] - mean[b] + open_.surplus(a, b).mean()
        assert np.isclose(joint.upper[a, b], upper, atol=1e-11)
        assert joint.upper[a, b] >= mean[a] - mean[b] - 1e-12
    assert (joint.lower == -joint.upper.T).all()
    residual = scores.residual.mean(axis=1)
    assert np.allclose(open_.own.mean(axis=1) + joint.tail, residual, atol=1e-12)


@given(small_collections(n_runs=4))
def test_never_wider_than_the_runs_own_intervals_imply(small: Small) -> None:
    runs, judgments = small.tables()
    measure = weighted("RBP(p=0.8)")
    own = measure.score(Lists.of(runs, judgments))
    open_ = open_weight(runs, judgments, measure, by_topic=True)
    for a, b in itertools.product(range(len(runs.names)), repeat=2):
        upper = own.value[a] - own.value[b] + open_.surplus(a, b)
        assert (upper <= own.upper[a] - own.lower[b] + 1e-12).all()


@tries(15)
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


@tries(15)
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


@tries(15)
@given(small_collections(n_docs=5, n_topics=3, n_runs=3, max_grade=2, judged=0.7))
def test_two_runs_of_many_are_as_those_two_alone(small: Small) -> None:
    """What compare and report say of nDCG is what gate says."""
    runs, judgments = small.tables()
    measure = parse_measure("nDCG@3")
    joint = joint_intervals(runs, judgments, measure, measure.score(Lists.of(runs, judgments)))
    for a, b in itertools.permutations(range(len(runs.names)), 2):
        two = runs.only(np.array([b, a]), None)
        alone = MeanDifference(topic_differences(two, judgments, measure), None).certain
        assert np.allclose(
            [joint.lower[a, b], joint.upper[a, b]], alone, atol=1e-12, equal_nan=True
        )


def test_an_ideal_that_grows_moves_both_runs() -> None:
    """All that is listed is judged: the better run stays so, however much the ideal grows."""
    lists = {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}}
    runs, judgments = Small(lists, {"1": {"a": 1, "b": 0}}, 1).tables()
    measure = parse_measure("nDCG@2")
    scores = measure.score(Lists.of(runs, judgments))
    joint = joint_intervals(runs, judgments, measure, scores)
    assert joint.certain[0, 1]
    assert scores.mean_lower()[0] < scores.mean_upper()[1], "their own intervals overlap"
