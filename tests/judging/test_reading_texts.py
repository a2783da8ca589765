"""What an assessor reads is what the collection has, and the query's words are found in it."""

from pathlib import Path

import pytest

from leadline.data.documents import Document
from leadline.io.datasets import COLLECTION
from leadline.io.documents import documents_from
from leadline.io.topics import Texts, TopicText, read_documents, read_texts


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("the tides of harbours", "Tide tables. The HARBOUR at low tide.", "Tide HARBOUR tide"),
        ("sailing ships", "sail sailed sailors shipping hardship", "sail sailed sailors shipping"),
        ("C++ (and) .* b", "c++ anything", ""),
        ("Été", "en été", "été"),
    ],
)
def test_the_words_of_the_query_are_found_with_other_endings(
    query: str, text: str, found: str
) -> None:
    terms = Texts({"1": TopicText(query)}).terms("1")
    assert ([] if terms is None else terms.findall(text)) == found.split()


@pytest.mark.parametrize("query", ["", "what is the", "a", "?!"])
def test_a_query_without_words_of_its_own_marks_nothing(query: str) -> None:
    assert Texts({"1": TopicText(query)}).terms("1") is None
    assert Texts().terms("1") is None


def test_only_wanted_documents_are_read() -> None:
    source = documents_from({"a": "one", "b": "two", "c": "three"})
    said: list[tuple[int, int]] = []
    found = dict(read_documents(source, {"c", "a", "x"}, lambda *n: said.append(n)))
    assert found == {"a": Document("", "one"), "c": Document("", "three")}
    assert said[-1] == (2, 3)


def test_a_folder_gives_its_topics_and_documents(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("topic\tquery\tdescription\n7\ttide\twhen it turns\n")
    only_topics = read_texts(tmp_path, ["a"])
    assert only_topics.topics["7"] == TopicText("tide", "when it turns")
    assert only_topics.documents == {}
    assert read_texts(None, ["a"]) == Texts()


def test_the_demo_can_be_read() -> None:
    first = next(iter(read_texts(COLLECTION, []).topics))
    assert read_texts(COLLECTION, []).terms(first) is not None
