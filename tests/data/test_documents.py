"""Words are counted a row a document, once for each way to make words."""

import numpy as np
import polars as pl
import pytest

from leadline.data.documents import Documents, WordCounts


def counts() -> WordCounts:
    """fog fog tide | nothing | tide."""
    return WordCounts(
        pl.Series(["fog", "tide"]),
        np.array([0.25, 0.75]),
        np.array([0, 2, 2, 3]),
        np.array([0, 1, 1]),
        np.array([2, 1, 1]),
    )


def test_every_element_knows_its_document() -> None:
    assert counts().document.tolist() == [0, 0, 2]


def test_elements_of_some_rows_come_row_after_row() -> None:
    element, of = counts().elements(np.array([2, 1, 0]))
    assert element.tolist() == [2, 0, 1]
    assert of.tolist() == [0, 2, 2]


def test_a_word_that_the_collection_lacks_is_refused() -> None:
    given = counts()
    with pytest.raises(ValueError, match="must occur in the collection"):
        WordCounts(given.words, np.array([0.0, 1.0]), given.start, given.word, given.count)


def test_words_are_counted_once_for_each_way() -> None:
    asked = []

    def count(how: str) -> WordCounts:
        asked.append(how)
        return counts()

    documents = Documents(pl.Series(["a", "b", "c"]), count, np.zeros(0, np.int32))
    for how in ("plain", "stemmed", "plain"):
        documents.words(how)
    assert asked == ["plain", "stemmed"]
