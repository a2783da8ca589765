"""Every format knows its own example and takes no other's."""

from dataclasses import dataclass

import polars as pl
import pytest

from leadline.io.formats import (
    FileFormat,
    Reading,
    TableFormat,
    first_fields,
    format_of,
    formats,
    is_trec,
)
from leadline.io.source import Source

EXAMPLES = {
    "TrecRun": b"# note\n401 Q0 FT911-3 1 12.1 bm25\n",
    "TrecQrels": b"401 0 FT911-3 1\n401 0 FT911-4 0 \n",
    "NdevalQrels": b"401 1 FT911-3 1\n401 2 FT911-3 0\n",
    "BeirQrels": b"query-id\tcorpus-id\tscore\n401\tFT911-3\t1\n",
    "Csv": b"qid,docno,label\n401,FT911-3,1\n",
    "Tsv": b"qid\tdocno\tlabel\n401\tFT911-3\t1\n",
    "JsonLines": b'{"qid": "401", "docno": "FT911-3", "label": 1}\n',
    "RanxJson": b'{"401": {"FT911-3": 1}}',
    "HeadlessTable": b"401,FT911-3,1\n",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_recognised_and_read(name: str) -> None:
    source = Source("x", held=EXAMPLES[name])
    content = "run" if name == "TrecRun" else "qrels"
    found = format_of(source, content)
    assert str(found) == name
    if found is not None and content == "qrels":
        qrels = found.read_qrels(source, Reading())
        assert (qrels.topic[0], qrels.doc[0], qrels.grade[0]) == ("401", "FT911-3", 1)
    elif found is not None:
        assert found.read_run(source, Reading()).run_score.tolist() == [12.1]


def test_what_looks_like_nothing_is_no_format() -> None:
    for data in (b"", b"words", b"a b c d e f", b"\0\0", b"[[[["):
        for content in ("run", "qrels"):
            assert format_of(Source("x", held=data), content) is None  # type: ignore[arg-type]


def test_every_format_is_described() -> None:
    for cls in formats.classes().values():
        assert cls.description()
        assert cls.formula()
        contents = ("run", "qrels", "topics", "documents")
        assert any(cls.holds(content) for content in contents)  # type: ignore[arg-type]


def test_a_new_format_is_one_class() -> None:
    @dataclass(frozen=True)
    class Colons(TableFormat):
        """Three fields between colons."""

        def looks_like(self, source: Source) -> bool:
            return source.head.count(b":") >= 2

        def table(self, source: Source) -> pl.DataFrame:
            rows = [line.split(":") for line in source.data.decode().splitlines()]
            return pl.DataFrame(rows, schema=["topic", "doc", "value"], orient="row")

    made: FileFormat = Colons()
    source = Source("x", held=b"1:a:5\n1:b:x\n")
    assert made.looks_like(source)
    assert len(made.read_run(source, Reading(skip_bad_lines=True))) == 1
    assert Colons.holds("qrels")
    assert not Colons.holds("documents")


def test_the_first_line_is_that_which_holds_something() -> None:
    source = Source("x", held=b"\xef\xbb\xbf\n# 1 2 3 4\r\n 1\tQ0 a 1 5 x\n")
    assert first_fields(source) == ["1", "Q0", "a", "1", "5", "x"]
    assert is_trec(source)
    assert first_fields(Source("x", held=b"\0")) != []
