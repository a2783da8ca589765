"""Sparse language models and their divergences equal dense ones over the whole vocabulary."""

import numpy as np
import pytest

from leadline.measures.diversity import sketch_texts
from leadline.measures.text_diversity import ResultModels, subtopic_models
from leadline.measures.texts import Tokeniser
from tests.reference.divergence import Collection, kld

COLLECTION = "tide tide fog sail reef reef reef rope"
SUBTOPICS = {"a": "tide tide fog", "b": "reef", "c": "", "d:0": "sail"}
RESULTS = "tide fog | fog reef | | tide tide rope"
MU = 3.0


def test_divergences_are_those_of_dense_models() -> None:
    lists = sketch_texts(RESULTS, SUBTOPICS, COLLECTION)
    assert lists.documents is not None
    assert lists.subtopics is not None
    words = lists.documents.words(Tokeniser())
    models = subtopic_models(lists.subtopics, words, lists.documents.learned, MU)
    assert models.labelled.tolist() == [True, True, True, False]
    # An empty document says nothing, and so does a subtopic that has no document.
    assert models.known.tolist() == [True, True, False, False]

    texts = {"whole": COLLECTION.split()}
    dense = Collection(texts)
    seen: list[str] = []
    for rank, text in enumerate(RESULTS.split("|")):
        seen += text.split()
        found = ResultModels.of(np.array([[0, 1, 2, 3]], np.int32), words, MU)
        gains = found.gains(models, np.array([0, 1]), MU)
        dense.texts["seen"] = seen
        for number, name in enumerate("ab"):
            dense.texts["own"] = SUBTOPICS[name].split()
            own, of_seen = dense.model(["own"], MU), dense.model(["seen"], MU)
            from_whole = kld(own, dense.background)
            assert models.divergence[number] == pytest.approx(from_whole)
            assert gains[0, rank, number] == pytest.approx(1 - kld(own, of_seen) / from_whole)


def test_documents_without_text_change_nothing() -> None:
    lists = sketch_texts("tide | fog", SUBTOPICS, COLLECTION)
    assert lists.documents is not None
    assert lists.subtopics is not None
    words = lists.documents.words(Tokeniser())
    models = subtopic_models(lists.subtopics, words, lists.documents.learned, MU)
    only = np.array([0, 1])
    holes, none = (
        ResultModels.of(np.array([row], np.int32), words, MU).gains(models, only, MU)[0]
        for row in ([-1, 0, -1], [-1, -1, -1])
    )
    alone = ResultModels.of(np.array([[0]], np.int32), words, MU).gains(models, only, MU)[0]
    assert holes[1:] == pytest.approx(np.repeat(alone, 2, axis=0))
    assert holes[0].tolist() == [0.0, 0.0]
    assert not none.any()
