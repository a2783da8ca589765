"""Small collections have what each kind of measure needs."""

import numpy as np
import pytest

from leadline.contracts.collections import SUBTOPICS, TEXTS, lists_for, small_collections
from leadline.measures.measure import parse_measure


def test_a_sample_leaves_something_undrawn_wherever_it_draws() -> None:
    drew = 0
    for small in small_collections(20):
        lists = lists_for(parse_measure("statAP"), small)
        sampling = lists.sampling
        assert sampling is not None
        assert sampling.inclusion is not None
        for topic in range(sampling.n_topics):
            here = (sampling.topic == topic) & (sampling.inclusion > 0) & (sampling.inclusion < 1)
            if here.any():
                assert not sampling.judged[here].all()
                drew += bool(sampling.judged[here].any())
    assert drew > 10


def test_every_topic_names_its_subtopics() -> None:
    for small in small_collections(5):
        lists = lists_for(parse_measure("StRec@2"), small)
        assert lists.subtopics is not None
        assert lists.subtopics.names == SUBTOPICS * len(small.grades)
        assert lists.in_subtopics is not None
        assert ((lists.in_subtopics >= 0) == lists.judged).all()


def test_documents_have_texts() -> None:
    for small in small_collections(5):
        lists = lists_for(parse_measure("ABSnb@2"), small)
        assert lists.documents is not None
        assert lists.in_documents is not None
        assert set(lists.documents.names) <= set(TEXTS)
        assert (lists.in_documents >= 0).all()


@pytest.mark.parametrize("name", ["P@3", "AP"])
def test_judgments_alone_are_the_plain_lists(name: str) -> None:
    for small in small_collections(5):
        lists = lists_for(parse_measure(name), small)
        assert np.array_equal(lists.judged, small.lists().judged)
        assert lists.sampling is None
