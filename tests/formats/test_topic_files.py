"""Topics of every format say the same."""

import gzip
from pathlib import Path

import pytest

from leadline.files.problems import InputError
from leadline.formats.topic_files import TopicText, read_topics, topics_in

WANTED = {
    "401": TopicText("fog at sea", "What is known?\n\nAll of it."),
    "2": TopicText("tides", ""),
}
FILES = {
    "tsv": "401\tfog at sea\n2\ttides\n",
    "tsv with a header": "\ufeffdescription\tquery\ttopic\r\n\tfog at sea\t401\r\n\ttides\t2\r\n",
    "words": "# note\n401 fog at sea\n\n2 tides",
    "BEIR": '{"_id": "401", "text": "fog at sea", "metadata": {}}\n{"_id": "2", "text": "tides"}\n',
    "JSON": '{"topic": 401, "query": "fog at sea", "description": "What is known?", "narrative": '
    '"All of it."}\n{"topic": 2, "query": "tides"}',
    "TREC": "<top>\n<num> Number: 401\n<title> fog\n at sea\n<desc> Description:\nWhat is known?\n"
    "<narr> Narrative: All of it.\n</top>\n<top><num>2</num><title>tides</title></top>\n",
    "XML": '<?xml version="1.0"?><topics><topic number="401"><query>fog at sea</query><description>'
    'What is known?</description><narrative>All of it.</narrative></topic><topic number="2">'
    "tides</topic></topics>",
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES.keys())
def test_topics_are_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "t").write_bytes(gzip.compress(text.encode()))
    found = read_topics(tmp_path / "t")
    assert {name: each.query for name, each in found.items()} == {"401": "fog at sea", "2": "tides"}
    if "narr" in text:
        assert found == WANTED


def test_a_folder_has_its_topics_under_one_of_several_names(tmp_path: Path) -> None:
    assert topics_in(tmp_path) == {}
    (tmp_path / "queries.jsonl").write_text(FILES["BEIR"])
    assert list(topics_in(tmp_path)) == ["401", "2"]
    (tmp_path / "topics.tsv").write_text("7\tmore")
    assert list(topics_in(tmp_path)) == ["7"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<topics><topic number='1'>", ":1: is no XML"),
        ("<topics></topics>", "no element"),
        ("<top><title>x</top>", "has no <num>"),
        ('{"_id": "1", "text": "x"}\n{"_id": "2"}\n', ":2: expected an object"),
        ("", "is empty"),
        ("a\0b", "NUL"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "t").write_text(text)
    with pytest.raises(InputError, match=told):
        read_topics(tmp_path / "t")
