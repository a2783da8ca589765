"""Every measure refuses what makes no sense, and its interval holds whatever is judged next."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.measure import DEEPEST, measures
from leadline.registry import NamingError
from tests.collections import Small, small_collections

BOUNDED = [
    "P@3",
    "P(rel=2)@5",
    "SetP",
    "Recall",
    "Recall@3",
    "Rprec",
    "Rprec(rel=2)",
    "RR",
    "RR@2",
    "Success@2",
    "AP",
    "AP@3",
    "AP(rel=2)",
    "DCG",
    "DCG(gains=exp2)@3",
    "nDCG",
    "nDCG@3",
    "nDCG(gains=exp2)@4",
    "nDCG(rel=2,gains=binary)@4",
    "SDCG@4",
    "SDCG(gains=linear)@4",
    "RBP(p=0.7)",
    "RBP(p=0.7)@3",
    "RBP(p=0.7,norm=true)@3",
    "RBP(p=0.7,gains=linear)",
    "ERR",
    "ERR@3",
    "ERR(gains=binary)@3",
    "NumRet",
    "NumRelRet",
]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("P@0", "between 1 and"),
        (f"P@{DEEPEST + 1}", "between 1 and"),
        ("AP(rel=0)", "rel, the least relevant grade, must be at least 1"),
        ("nDCG(gains=[(2, 1), (1, 2)])@5", "must not fall"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(name: str, says: str) -> None:
    with pytest.raises(NamingError, match=says):
        measures.parse(name)


def test_the_share_judged_is_that_of_the_depth_or_of_the_list() -> None:
    small = Small({"x": {"1": ["a", "b"]}}, {"1": {"a": 1}}, 1)
    assert measures.parse("P@4").score(small.lists()).judged.tolist() == [[0.25]]
    assert measures.parse("AP").score(small.lists()).judged.tolist() == [[0.5]]


@given(small_collections(), st.data())
def test_judging_one_more_document_never_widens_an_interval(
    small: Small, data: st.DataObject
) -> None:
    topic = data.draw(st.sampled_from(sorted(small.grades)))
    docs = sorted({doc for lists in small.runs.values() for doc in lists[topic]} | {"new"})
    unjudged = [doc for doc in docs if doc not in small.grades[topic]]
    if not unjudged:
        return
    doc = data.draw(st.sampled_from(unjudged))
    grade = data.draw(st.integers(0, small.max_grade))
    grades = {**small.grades, topic: {**small.grades[topic], doc: grade}}
    more = Small(small.runs, grades, small.max_grade)
    before_lists, after_lists = small.lists(), more.lists()
    for name in BOUNDED:
        measure = measures.parse(name)
        before, after = measure.score(before_lists), measure.score(after_lists)
        assert (after.lower >= before.lower - 1e-12).all(), name
        assert (after.upper <= before.upper + 1e-12).all(), name
        possible = ~np.isnan(after.mean_upper())
        assert (after.mean_lower() >= before.mean_lower() - 1e-12)[possible].all(), name
        assert (after.mean_upper() <= before.mean_upper() + 1e-12)[possible].all(), name


@given(small_collections(), st.data())
def test_the_score_under_any_completion_lies_inside(small: Small, data: st.DataObject) -> None:
    """Also with relevant documents that no run returns, and for larger lists than brute force."""
    grades = {}
    for topic, known in small.grades.items():
        docs = {doc for lists in small.runs.values() for doc in lists[topic]}
        docs |= {f"unseen{number}" for number in range(data.draw(st.integers(0, 4)))}
        grades[topic] = {
            **{doc: data.draw(st.integers(0, small.max_grade)) for doc in sorted(docs)},
            **known,
        }
    complete = Small(small.runs, grades, small.max_grade).lists()
    partial_lists = small.lists()
    for name in BOUNDED:
        measure = measures.parse(name)
        scores, true_scores = measure.score(partial_lists), measure.score(complete)
        truth = true_scores.value
        known = ~np.isnan(truth)
        assert (truth[known] >= scores.lower[known] - 1e-12).all(), name
        assert (truth[known] <= scores.upper[known] + 1e-12).all(), name
        mean = true_scores.mean()
        known = ~np.isnan(mean)
        assert (mean[known] >= scores.mean_lower()[known] - 1e-12).all(), name
        assert (mean[known] <= scores.mean_upper()[known] + 1e-12).all(), name


@pytest.mark.parametrize("name", ["P(rel=32768)@10", "nDCG(max_grade=1000000000)@10"])
def test_a_grade_that_no_file_can_hold_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="grades go no further than 32767"):
        measures.parse(name)
