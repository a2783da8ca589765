"""Differences of two runs by topic: no completion leads outside, and sums reach both ends."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.bounds import topic_differences
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.reference import measures as plain
from tests.reference.bounds import completions, difference_bounds
from tests.tries import tries

COLLECTIONS = small_collections(n_docs=4, n_topics=2, n_runs=2, max_grade=2, judged=0.6)


def two(small: Small) -> Small:
    """At least two runs: the first one twice if there is one."""
    runs = dict(small.runs)
    first = next(iter(runs.values()))
    return Small(runs if len(runs) > 1 else {**runs, "again": first}, small.grades, small.max_grade)


@given(small=COLLECTIONS)
@tries(12)
def test_no_completion_moves_ndcg_outside(small: Small) -> None:
    small = two(small)
    runs, judgments = small.tables()
    found = topic_differences(runs, judgments, parse_measure("nDCG@3"))
    first, second = small.runs.values()
    for at, topic in enumerate(runs.pairs.topics):
        one, other, known = first[topic], second[topic], small.grades[topic]
        for completed in completions(one + other, known, small.max_grade, n_unseen=1):
            difference = plain.ndcg(other, completed, 3) - plain.ndcg(one, completed, 3)
            if not np.isnan(difference):
                assert found.lower[at] - 1e-12 <= difference <= found.upper[at] + 1e-12


@given(small=COLLECTIONS)
@tries(12)
def test_both_ends_of_a_sum_are_reached(small: Small) -> None:
    small = two(small)
    runs, judgments = small.tables()
    found = topic_differences(runs, judgments, parse_measure("P@3"))
    first, second = small.runs.values()
    for at, topic in enumerate(runs.pairs.topics):
        ends = difference_bounds(
            partial(plain.precision, k=3),
            second[topic],
            first[topic],
            small.grades[topic],
            small.max_grade,
        )
        assert (found.lower[at], found.upper[at]) == pytest.approx(ends, abs=1e-12)


def test_ndcg_of_judged_lists_can_only_shrink_as_the_ideal_grows() -> None:
    # DCG@2 differs by 1 - 1/log2(3) = .3691; the ideal is 1 now, 1 + 1/log2(3) = 1.6309 at most.
    small = Small({"x": {"1": ["b", "a"]}, "y": {"1": ["a", "b"]}}, {"1": {"a": 1, "b": 0}}, 1)
    found = topic_differences(*small.tables(), parse_measure("nDCG@2"))
    assert found.value[0] == pytest.approx(0.36907, abs=1e-5)
    assert found.upper[0] == pytest.approx(0.36907, abs=1e-5)
    assert found.lower[0] == pytest.approx(0.36907 / 1.63093, abs=1e-5)


def test_the_same_lists_do_not_differ() -> None:
    lists = {"1": ["a", "b"]}
    small = Small({"x": lists, "y": lists}, {"1": {"c": 1}}, 1)
    found = topic_differences(*small.tables(), parse_measure("AP"))
    assert (found.lower[0], found.upper[0]) == (0.0, 0.0)


def test_turned_and_on_some_topics() -> None:
    small = Small(
        {"x": {"1": ["a"], "2": ["b"]}, "y": {"1": ["b"], "2": ["b"]}},
        {"1": {"a": 1}, "2": {"b": 1}},
        1,
    )
    found = topic_differences(*small.tables(), parse_measure("P@1"))
    turned = found.turned()
    assert found.value.tolist() == [-1.0, 0.0]
    assert (found.lower.tolist(), found.upper.tolist()) == ([-1.0, 0.0], [0.0, 0.0])
    assert (turned.lower[0], turned.upper[0]) == (0.0, 1.0)
    part = found.on(np.array([False, True]))
    assert np.isnan(part.value).tolist() == [True, False]
    assert np.isnan(part.lower).tolist() == [True, False]
