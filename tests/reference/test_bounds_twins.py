"""The reference bounds against hand-worked values, and against every completion."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tests.tries import tries

from . import measures as m
from .bounds import Measure, bounds, completions, difference_bounds
from .random_topics import Topic, close_pair, ranked, topics


def test_completions_are_all_there_once() -> None:
    found = list(completions(["a", "b", "c", "a"], {"b": 1, "z": 0}, 1, n_unseen=2))
    # Two unjudged docs: 4 ways. No, one or two unseen docs: 1 + 2 + 3 multisets.
    assert len(found) == 4 * 6
    assert len({tuple(sorted(completed.items())) for completed in found}) == 24
    for completed in found:
        assert completed["b"] == 1
        assert completed["z"] == 0
        assert {"a", "c"} <= set(completed)
        assert set(completed.values()) <= {0, 1}
    assert list(completions(["a"], {}, 2)) == [{"a": 0}, {"a": 1}, {"a": 2}]


def test_bounds_by_hand() -> None:
    # AP: 1/2 if a is not relevant, (1/1 + 2/2)/2 if it is; an unseen relevant doc adds to R.
    ranking, grades, _ = ranked("?1")
    assert bounds(m.ap, ranking, grades, 1, 0) == close_pair(1 / 2, 1)
    assert bounds(m.ap, ranking, grades, 1, 1) == close_pair(1 / 4, 1)
    assert bounds(m.recall, ranking, grades, 1, 2) == close_pair(1 / 3, 1)
    assert bounds(m.precision, ranking, grades, 1, 2) == close_pair(1 / 2, 1)
    # A better grade at rank 2 raises the ideal too, so nDCG is lowest with a grade 2 there.
    ranking, grades, _ = ranked("1?")
    worst = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert bounds(m.ndcg, ranking, grades, 2, 0) == close_pair(worst, 1)


def test_bounds_leave_out_undefined_values() -> None:
    assert bounds(m.recall, ["a"], {}, 1, 0) == (1.0, 1.0)
    assert bounds(m.recall, ["a"], {}, 1, 1) == (0.0, 1.0)
    low, high = bounds(m.recall, [], {}, 1, 0)
    assert math.isnan(low)
    assert math.isnan(high)


@given(topics(max_grade=2), st.data())
@tries(20)
def test_bounds_hold_every_completion_and_collapse_when_all_is_judged(
    topic: Topic, data: st.DataObject
) -> None:
    ranking = topic.ranking[:5]
    completed = dict(topic.grades)
    for doc in ranking:
        completed.setdefault(doc, data.draw(st.integers(0, 2)))
    measures: list[Measure] = [m.ap, m.ndcg, m.bpref, m.rr, m.recall]
    for measure in measures:
        value = measure(ranking, completed)
        if math.isnan(value):
            continue
        low, high = bounds(measure, ranking, topic.grades, 2, 1)
        assert low <= value <= high
        assert bounds(measure, ranking, completed, 2, 0) == (value, value)


def rbp_half(ranking: list[str], grades: dict[str, int]) -> float:
    """RBP with p = 1/2."""
    return m.rbp(ranking, grades, 0.5)


def test_difference_bounds_by_hand() -> None:
    # A shared unjudged doc weighs 1/2 in one list and 1/4 in the other: apart by 1/4 at most,
    # where the two intervals alone would allow 3/4.
    assert difference_bounds(rbp_half, ["a", "b"], ["b", "a"], {}, 1) == close_pair(-0.25, 0.25)
    assert difference_bounds(rbp_half, ["a", "b"], ["a", "b"], {}, 1) == (0.0, 0.0)
    assert difference_bounds(rbp_half, ["a"], ["b"], {"a": 1}, 1) == close_pair(0.0, 0.5)
    # Undefined when neither doc is relevant; else 1 - 0, 0 - 1 or 1/2 - 1/2.
    assert difference_bounds(m.recall, ["a"], ["b"], {}, 1) == (-1.0, 1.0)


@given(topics(max_grade=1), topics(max_grade=1))
@tries(20)
def test_difference_bounds_of_rbp_equal_the_signed_weights(first: Topic, second: Topic) -> None:
    ranking_a, ranking_b, grades = first.ranking[:4], second.ranking[:4], first.grades
    low = high = rbp_half(ranking_a, grades) - rbp_half(ranking_b, grades)
    for doc in (set(ranking_a) | set(ranking_b)) - set(grades):
        # RBP is a sum of one term per doc, so each unjudged doc moves one end by its weight.
        weight = rbp_half(ranking_a, {doc: 1}) - rbp_half(ranking_b, {doc: 1})
        low += min(weight, 0.0)
        high += max(weight, 0.0)
    assert difference_bounds(rbp_half, ranking_a, ranking_b, grades, 1) == close_pair(low, high)
