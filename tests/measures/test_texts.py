"""Lists meet texts: words that the collection lacks are left out."""

from leadline.io.documents import documents_from
from leadline.measures.texts import Tokeniser, count_words, word_counts

PLAIN = Tokeniser()


DOCS = {"a": "Fog, fog and tide", "b": "Tide ÉTÉ_1", "c": ""}


def test_words_that_the_collection_lacks_are_left_out() -> None:
    found = word_counts(
        ["fog tide tide", None, "kraken"], PLAIN, count_words(documents_from(DOCS), PLAIN)
    )
    assert found.words.to_list() == ["fog", "tide"]
    assert (found.start.tolist(), found.count.tolist()) == ([0, 2, 2, 2], [1, 2])
