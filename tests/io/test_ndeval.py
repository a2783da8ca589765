"""ndeval's qrels are told from TREC's by a document with two second fields."""

import pytest

from leadline.io.formats import Reading
from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.trec import NdevalQrels


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


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("n_before", [0, 30_000])
@pytest.mark.parametrize("asked_for", [False, True])
def test_a_conflict_has_its_line_whatever_stands_between(
    end: bytes, n_before: int, asked_for: bool
) -> None:
    lines = [b"\xef\xbb\xbf# judged twice", b"", b"1 1 a 1", b" ", b"1 2 a 0"]
    lines += [b"1 1 d%d 0" % number for number in range(n_before)]
    lines += [b"# the same document once more", b"", b"1 1 a 2", b""]
    source = Source("x", held=end.join(lines))
    with pytest.raises(InputError) as error:
        NdevalQrels().read_qrels(source, Reading(subtopics=asked_for))
    (problem,) = error.value.problems
    assert (problem.code, problem.line) == ("conflict", n_before + 8)
    assert "grade 2 here and 1 on line 3" in problem.message
