"""The greedy ideal takes at each rank what adds most, and of equals the docno that is last."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.subtopics import SubtopicGrades
from leadline.measures.diversity import greedy, ideal_lists, sketch_subtopics
from leadline.measures.measure import measures
from tests.tries import tries

LABELS = ["a", "b", "c", "a,b", "a,b,c", "a:0", "-"]
marks = st.lists(st.sampled_from(LABELS), min_size=1, max_size=6)


def grades_of(text: str) -> SubtopicGrades:
    grades = sketch_subtopics(text).subtopics
    assert grades is not None
    return grades


def plainly(labels: list[str], alpha: float) -> list[int]:
    """Documents by number, as the definition has it."""
    covers = [
        {part for part in label.split(",") if part != "-" and ":0" not in part} for label in labels
    ]
    seen = dict.fromkeys("abc", 0)
    left, chosen = set(range(len(labels))), []
    while left:
        adds = {doc: sum((1 - alpha) ** seen[name] for name in covers[doc]) for doc in left}
        best = max(left, key=lambda doc: (round(adds[doc], 9), doc))
        if adds[best] == 0:
            break
        chosen.append(best)
        left.remove(best)
        for name in covers[best]:
            seen[name] += 1
    return chosen


@tries(20)
@given(marks, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_each_rank_adds_most(labels: list[str], alpha: float) -> None:
    assert greedy(grades_of(" ".join(labels)), alpha, 1, None).tolist() == plainly(labels, alpha)


def test_it_is_no_longer_than_asked_and_grades_below_rel_bring_nothing() -> None:
    grades = grades_of("a:1 b:2 c:2")
    assert greedy(grades, 0.5, 1, 2).tolist() == [2, 1]
    assert greedy(grades, 0.5, 2, None).tolist() == [2, 1]
    assert greedy(grades, 0.5, 3, None).tolist() == []


def test_ideal_lists_are_all_judged() -> None:
    lists = ideal_lists(grades_of("a - a,b"), 0.5, 1, None)
    assert lists.runs == ("ideal",)
    assert lists.judged.tolist() == [True, True]
    assert lists.in_subtopics is not None
    assert lists.in_subtopics.tolist() == [2, 0]


@pytest.mark.parametrize("name", ["alpha_nDCG@5", "nERR_IA@5", "nNRBP"])
def test_the_ideal_list_scores_one_and_nothing_is_certain(name: str) -> None:
    ideal = measures.parse(name).score(sketch_subtopics("a,b a b"))
    assert ideal.value[0, 0] == pytest.approx(1.0)
    assert np.isnan(ideal.lower).all()
    assert np.isnan(ideal.upper).all()
    worse = measures.parse(name).score(sketch_subtopics("- a b a,b"))
    assert worse.value[0, 0] < 1
    assert np.isnan(measures.parse(name).score(sketch_subtopics("- a:0")).value).all()
