"""ndeval's qrels are told from TREC's by a document with two second fields."""

import pytest

from leadline.files.source import Source
from leadline.formats.ndeval import NdevalQrels
from leadline.formats.read_options import Reading


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"1 1 a 1\n1 2 a 0\n", True),
        (b"1 1 a 1\n1 2 b 0\n", False),
        (b"1 1 a 1\n1 1 a 1\n", False),
        (b"1 Q0 a 1 5 x\n", False),
    ],
)
def test_two_second_fields_tell_it(data: bytes, told: bool) -> None:
    source = Source("x", held=data)
    assert NdevalQrels().looks_like(source) == told
    if told:
        subtopics = NdevalQrels().read_qrels(source, Reading()).subtopics
        assert subtopics is not None
        assert len(subtopics.frame) == 2
