"""Judgments per subtopic as numbers: labels of documents, subtopics of topics."""

import numpy as np
import polars as pl

from leadline.data.subtopics import SubtopicGrades, Subtopics

ROWS = [
    ("1", "b", "x", 2),
    ("1", "a", "x", 1),
    ("1", "a", "y", 0),
    ("2", "0", "z", 0),
    ("2", "c", "x", 1),
    ("9", "a", "x", 1),
]
SCHEMA = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}


def grades(**more: object) -> SubtopicGrades:
    frame = pl.DataFrame(ROWS, schema=SCHEMA, orient="row")
    return SubtopicGrades.of(Subtopics(frame), ("1", "2"), **more)  # type: ignore[arg-type]


def test_topics_have_their_subtopics_and_only_those_asked_for_count() -> None:
    found = grades()
    names = [found.names[a:b] for a, b in zip(found.first, found.first[1:], strict=False)]
    # Subtopic 0 lists documents that suit none: it is one only with a relevant document.
    assert names == [("a", "b"), ("c",)]


def test_labels_are_the_grades_above_nothing() -> None:
    found = grades()
    docs = list(zip(found.topic.tolist(), found.docs.to_list(), strict=True))
    assert docs == [(0, "x"), (0, "y"), (1, "x"), (1, "z")]
    labels = [
        (docs[at], found.names[s], g)
        for at, s, g in zip(found.of_label, found.subtopic, found.grade, strict=True)
    ]
    assert labels == [((0, "x"), "a", 1), ((0, "x"), "b", 2), ((1, "x"), "c", 1)]
    assert found.max_grade == 2


def test_relevant_documents_are_counted_by_subtopic() -> None:
    assert grades().n_relevant().tolist() == [1, 1, 1]
    assert grades().n_relevant(2).tolist() == [0, 1, 0]


def test_intents_are_the_weights_and_equal_without_them() -> None:
    assert grades().weight.tolist() == [1, 1, 1]
    assert grades(intents={("1", "b"): 0.7}).weight.tolist() == [0, 0.7, 0]


def test_documents_are_found_within_their_topic() -> None:
    found = grades().find(np.array([0, 1, 0, 1]), pl.Series(["x", "x", "z", "z"]))
    assert found.tolist() == [0, 2, -1, 3]


def test_labels_of_other_documents_are_withdrawn() -> None:
    kept = grades().only(np.array([False, True, True, True]))
    assert kept.n_relevant().tolist() == [0, 0, 1]
    assert kept.names == grades().names
