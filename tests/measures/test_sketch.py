"""Lists written by hand say what stands in them."""

from leadline.measures.diversity import sketch_subtopics, sketch_texts
from leadline.measures.texts import Tokeniser


def test_marks_are_labels_nothing_or_unjudged() -> None:
    lists = sketch_subtopics("a:2,b ? - c", elsewhere="a b:0")
    grades = lists.subtopics
    assert grades is not None
    assert lists.judged.tolist() == [True, False, True, True]
    assert grades.names == ("a", "b", "c")
    assert grades.n_relevant().tolist() == [2, 1, 1]
    assert grades.n_relevant(2).tolist() == [1, 0, 0]
    assert lists.in_subtopics is not None
    assert (lists.in_subtopics >= 0).tolist() == [True, False, True, True]


def test_texts_are_listed_and_learned_from() -> None:
    lists = sketch_texts("tide fog | sail", {"a": "tide", "b": "reef"}, "tide fog sail reef")
    documents = lists.documents
    assert documents is not None
    assert lists.in_documents is not None
    assert lists.in_documents.tolist() == [0, 1]
    assert documents.learned.tolist() == [2, 3]
    words = documents.words(Tokeniser())
    assert words.background.tolist() == [0.25] * 4
