"""Topics of every format say the same."""

import gzip
from pathlib import Path

import pytest

from leadline.io.problems import InputError
from leadline.io.topics import TopicText, read_topics, topics_in

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
        ("1\tfog\n\ttides\n", ":2: a topic's name must be text"),
        ("# nothing\n", "holds no topic"),
        ('{"_id": {"a": 1}, "text": "x"}\n', ":1: a topic's name must be text"),
        ('{"_id": "", "text": "x"}\n', ":1: a topic's name must be text"),
        ('<topics><topic id=" ">x</topic></topics>', "a topic's name must be text"),
        ('<?xml version="1.0" encoding="klingon"?><topics/>', ":1: is no XML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "t").write_text(text)
    with pytest.raises(InputError, match=told):
        read_topics(tmp_path / "t")


def test_topics_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    for text in (b"1\tfog\n2\tcaf\xe9\n", b"<top>\n<num> 1\xe9 <title> x </top>"):
        (tmp_path / "t").write_bytes(text)
        with pytest.raises(InputError, match=":2: is not UTF-8"):
            read_topics(tmp_path / "t")


def test_a_list_of_topics_has_the_first_field_of_each_line(tmp_path: Path) -> None:
    """By the rules for all lines of fields: a no-break space is a letter, a form feed is none."""
    (tmp_path / "t").write_bytes("1\u00a0x fog\n\x0b2\x0cy\n\r\n# 4\n3".encode())
    assert list(read_topics(tmp_path / "t")) == ["1\u00a0x", "2", "3"]
