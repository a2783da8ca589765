"""The lists of a collection: labels, subtopics and texts, each made only if a measure needs it."""

import pytest

import leadline
from leadline.api.collection_lists import CollectionLists
from leadline.api.scoring import QrelsSource, TextSource
from leadline.io.datasets import COLLECTION
from leadline.io.formats import Reading
from leadline.measures.measure import parse_measures


def lists(*names: str, docs: object = None, subtopic_docs: object = None) -> CollectionLists:
    sea = leadline.read(COLLECTION, subtopics=True, topics=["1", "2"])
    texts = TextSource(docs, subtopic_docs)
    return CollectionLists(sea, parse_measures(names), QrelsSource(Reading()), texts)


def test_labels_alone_need_nothing_else() -> None:
    made = lists("AP")
    assert made.seen_by(made.measures[0]).subtopics is None
    assert made.texts_read is None
    assert "with_subtopics" not in vars(made)


def test_subtopics_are_numbered_entry_by_entry() -> None:
    made = lists("AP", "StRec@5")
    seen = made.seen_by(made.measures[1])
    assert seen.subtopics is not None
    assert seen.in_subtopics is not None
    known = seen.in_subtopics >= 0
    docs = seen.subtopics.docs.gather(seen.in_subtopics[known]).to_list()
    pairs = made.collection.runs.pairs
    entries = made.collection.runs.pair[known]
    assert docs == pairs.docs.gather(pairs.doc[entries]).to_list()


def test_texts_are_read_as_deep_as_the_deepest_measure_looks() -> None:
    made = lists("DELTArb@3", "ABSnb@5")
    read = made.texts_read
    assert read is made.seen_by(made.measures[0]) is made.seen_by(made.measures[1])
    assert read is not None
    assert read.length.max() == 5


def test_judgments_of_another_collection_are_not_joined_here() -> None:
    made = lists("DELTArb@3", subtopic_docs=COLLECTION)
    with pytest.raises(ValueError, match="not a Collection"):
        made.texts_read  # noqa: B018
