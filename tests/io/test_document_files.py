"""Documents from files, folders and objects, and what is said when something is wrong."""

import gzip
import json
from collections import namedtuple
from pathlib import Path

import polars as pl
import pytest
from backports import zstd

from leadline.io.documents import DocumentLookup, documents_from, documents_in
from leadline.io.problems import InputError
from leadline.io.source import Source

DOCS = {"d1": "The tide turns.", "d2": "Naïve fog"}


def texts(what: object) -> dict[str, str]:
    return dict(documents_from(what).find(["d1", "d2", "nobody"]).rows())


def json_lines(key: str = "id", text: str = "text") -> bytes:
    return "".join(json.dumps({key: k, text: v}) + "\n" for k, v in DOCS.items()).encode()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_json_lines_plain_and_compressed(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "docs"
    path.write_bytes(pack(json_lines()))  # type: ignore[operator]
    assert texts(path) == DOCS


@pytest.mark.parametrize(("key", "text"), [("docno", "contents"), ("_id", "body")])
def test_other_names_of_id_and_text(tmp_path: Path, key: str, text: str) -> None:
    (tmp_path / "docs.jsonl").write_bytes(b"\xef\xbb\xbf" + json_lines(key, text))
    assert texts(tmp_path / "docs.jsonl") == DOCS


def test_title_and_text_are_one_and_numbers_may_be_ids(tmp_path: Path) -> None:
    rows = [{"id": 1, "title": "Fog", "text": "at sea", "n": {"x": [1]}}, {"id": 2, "title": "T"}]
    (tmp_path / "a").write_text("\n".join(map(json.dumps, rows)))
    found = dict(documents_from(tmp_path / "a").find(["1", "2"]).rows())
    assert found == {"1": "Fog at sea", "2": "T "}


def test_trec_text(tmp_path: Path) -> None:
    made = [f"<DOC>\n<DOCNO> {k} </DOCNO>\n<TEXT>{v}</TEXT>\n</DOC>" for k, v in DOCS.items()]
    (tmp_path / "docs.trec").write_text("\n".join(made) + "\n\n")
    assert texts(tmp_path / "docs.trec") == DOCS


def test_trec_titles_come_first(tmp_path: Path) -> None:
    doc = "<DOC><DOCNO>a</DOCNO><TEXT>x <b>y</b></TEXT><TITLE>T</TITLE></DOC>"
    (tmp_path / "a").write_text(doc)
    (table,) = documents_from(tmp_path / "a").tables()
    assert table.rows() == [("a", "T", "x  y")]


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "d1.txt").write_text(DOCS["d1"])
    (tmp_path / "deep" / "d2.txt.gz").write_bytes(gzip.compress(DOCS["d2"].encode()))
    (tmp_path / "README.md").write_text("not a document")
    assert texts(tmp_path) == DOCS


def test_a_collection_folder_has_its_own_names(tmp_path: Path) -> None:
    assert documents_in(tmp_path) is None
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(json_lines()))
    assert texts(tmp_path) == DOCS


Doc = namedtuple("Doc", ["doc_id", "text"])


class Store:
    """As ir_datasets has them."""

    def get(self, name: str) -> Doc:
        return Doc(name, DOCS[name])


class DataSet:
    def docs_store(self) -> Store:
        return Store()

    def docs_iter(self) -> list[Doc]:
        return [Doc(name, text) for name, text in DOCS.items()]


@pytest.mark.parametrize("what", [DOCS, Store(), DataSet(), DOCS.get, DOCS.__getitem__])
def test_objects_that_give_a_text_for_an_id(what: object) -> None:
    assert texts(what) == DOCS


def test_objects_that_can_be_gone_through() -> None:
    for what in (DOCS, DataSet()):
        found = documents_from(what)
        assert found.whole
        assert dict(pl.concat(found.tables())["id", "text"].rows()) == DOCS
    assert not documents_from(Store()).whole
    with pytest.raises(InputError, match="only looked up"):
        list(DocumentLookup(Store()).tables())


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"id": "a", "text": "x"}\nnonsense\n', "docs:2: is no JSON"),
        (b'{"id": "a", "text": "x"}\n{"text": "y"}\n', "docs:2: expected an object"),
        (b'{"id": "a", "text": "x"}\n[1]\n', "docs:2: expected an object"),
        (b"<DOC>no number</DOC>", "a <DOC> has no <DOCNO>"),
        (b"<DOC><DOCNO>a</DOCNO>", "text outside"),
        (b"plain words", "holds no documents"),
        (b"", "is empty"),
        (b"\x1f\x8b\x08\x00broken", "is damaged"),
        (b"\x28\xb5\x2f\xfdbroken", "is damaged"),
        (b'{"id": "d1", "text": "x"}\n{"id": "d1", "text": "y"}\n', "the document d1 twice"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "docs").write_bytes(content)
    with pytest.raises(InputError, match=told):
        texts(tmp_path / "docs")


@pytest.mark.parametrize("what", [3, object(), "no/such/path"])
def test_what_are_no_documents(what: object) -> None:
    with pytest.raises(InputError):
        documents_from(what)


def test_an_empty_folder_has_no_documents(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without documents"):
        documents_from(tmp_path)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_pieces_end_where_a_line_or_a_document_does(tmp_path: Path, size: int) -> None:
    (tmp_path / "a").write_bytes(b"one\n\nthree</DOC>\nfour</DO</DOC>rest")
    for end in (b"\n", b"</DOC>"):
        found = list(Source("a", tmp_path / "a").texts(size, end))
        assert b"".join(found) == (tmp_path / "a").read_bytes()
        assert all(piece.endswith(end) for piece in found[:-1])


def test_files_are_read_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(json_lines() * 30_000)
    assert len(list(documents_from(tmp_path / "docs").tables())) > 2


def test_a_pipe_may_be_gone_through_twice(tmp_path: Path) -> None:
    import os
    import threading

    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(json_lines(),))
    writer.start()
    found = documents_from(tmp_path / "pipe")
    writer.join()
    assert dict(found.find(DOCS).rows()) == dict(found.find(DOCS).rows()) == DOCS
    assert found.mark() == ""


def test_deep_json_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "docs").write_bytes(json_lines() + b'{"id": "a", "x": ' + b"[" * 100_000)
    with pytest.raises(InputError, match=":3: is nested too deep"):
        texts(tmp_path / "docs")


ODD_LINES = {
    "a number": (b'{"id": 1, "text": 2.50}', ("1", "2.5")),
    "a list": (b'{"id": "a", "text": [1, "x"]}', ("a", '[1, "x"]')),
    "two halves of a letter": (b'{"id": "\\ud83d\\ude00", "text": "x"}', ("\U0001f600", "x")),
    "a key inside another": (b'{"id": "a", "text": "x", "metadata": {"id": "b"}}', ("a", "x")),
    "another key twice": (b'{"x": 1, "x": 2, "id": "a", "text": "x"}', ("a", "x")),
    "another id first": (b'{"docno": "b", "id": "a", "text": "x"}', ("a", "x")),
    "no id in the first place": (b'{"id": null, "docno": "b"}', ("b", "")),
}


@pytest.mark.parametrize(("line", "wanted"), ODD_LINES.values(), ids=ODD_LINES)
def test_an_odd_line_is_read_alike_beside_a_plain_one_and_beside_an_odd_one(
    tmp_path: Path, line: bytes, wanted: tuple[str, str]
) -> None:
    for beside in (b'{"id": "z", "text": "y"}\n', b'{"id": 7, "text": null}\n'):
        (tmp_path / "docs").write_bytes(beside + line + b"\n")
        (table,) = documents_from(tmp_path / "docs").tables()
        assert table.select("id", "text").row(1) == wanted


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"id": "a", "id": "b", "text": "x"}', ":2: has 'id' twice"),
        (b'{"id": "\\ud800", "text": "x"}', ":2: holds"),
        (b'{"id": "\xed\xa0\x80", "text": "x"}', ":2: is not UTF-8"),
        (b'{"id": "", "text": "x"}', ":2: expected an object"),
        (b'{"id": " ", "text": "x"}', ":2: expected an object"),
        (b'{"id": ["a"], "text": "x"}', ":2: expected an object"),
        (b'{"id": 1.0, "text": "x"}', ":2: expected an object"),
        (b'{"id": true, "text": "x"}', ":2: expected an object"),
    ],
)
def test_a_line_without_an_id_that_is_one_is_refused(
    tmp_path: Path, line: bytes, told: str
) -> None:
    (tmp_path / "docs").write_bytes(b'{"id": "z", "text": "y"}\n' + line + b"\n")
    with pytest.raises(InputError, match=told):
        list(documents_from(tmp_path / "docs").tables())


@pytest.mark.parametrize("text", [b"<DOC><DOCNO>b</DOCNO>cut off", b"<DOC><DOCNO> </DOCNO>x</DOC>"])
def test_a_document_of_trec_is_whole_and_has_a_number(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "docs").write_bytes(b"<DOC><DOCNO>a</DOCNO>x</DOC>\n" + text)
    with pytest.raises(InputError, match=r"text outside|no <DOCNO>"):
        list(documents_from(tmp_path / "docs").tables())
