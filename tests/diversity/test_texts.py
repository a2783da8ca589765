"""Lists meet texts: words that the collection lacks are left out."""

from leadline.diversity.statistics import count_words
from leadline.diversity.texts import word_counts
from leadline.diversity.tokens import Tokeniser
from leadline.formats.document_files import documents_from

PLAIN = Tokeniser()


DOCS = {"a": "Fog, fog and tide", "b": "Tide ÉTÉ_1", "c": ""}


def test_words_that_the_collection_lacks_are_left_out() -> None:
    found = word_counts(
        ["fog tide tide", None, "kraken"], PLAIN, count_words(documents_from(DOCS), PLAIN)
    )
    assert found.words.to_list() == ["fog", "tide"]
    assert (found.start.tolist(), found.count.tolist()) == ([0, 2, 2, 2], [1, 2])
