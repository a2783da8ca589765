"""BEIR's qrels are told from other tab-separated tables."""

from leadline.io.formats import Reading
from leadline.io.source import Source
from leadline.io.tabular import BeirQrels


def test_the_header_tells_it() -> None:
    source = Source("x", held=b"query-id\tcorpus-id\tscore\r\n1\ta\t2\r\n")
    assert BeirQrels().looks_like(source)
    assert BeirQrels().read_qrels(source, Reading()).grade.tolist() == [2]
    assert not BeirQrels().looks_like(Source("x", held=b"qid\tdocno\tscore\n1\ta\t2\n"))
