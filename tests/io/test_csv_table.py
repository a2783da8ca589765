"""Tables with a header: every row has its line and as many cells as the header."""

import pytest

from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.tabular import Csv, Tsv, read_table


def test_cells_are_text_and_rows_know_their_line() -> None:
    source = Source("x", held=b'\xef\xbb\xbfa, b\r\n\r\n1,"x,\ny"\r\n2,\r\n')
    assert read_table(source, ",").rows() == [("1", "x,\ny", 4), ("2", "", 5)]
    assert read_table(source, ",").columns == ["a", "b", "line"]


def test_tabs_need_no_quotation_marks() -> None:
    source = Source("x", held=b'a\tb\n1\t"x\n')
    assert read_table(source, "\t", None).rows() == [("1", '"x', 2)]


def test_every_ragged_row_is_named() -> None:
    source = Source("x", held=b"a,b\n1\n1,2\n1,2,3\n")
    with pytest.raises(InputError) as error:
        read_table(source, ",")
    assert [problem.line for problem in error.value.problems] == [2, 4]


@pytest.mark.parametrize(
    ("header", "csv", "tsv"),
    [
        (b"qid,docno,score", True, False),
        (b'"QID" , "DOCNO"', True, False),
        (b"qid\tdocno\titer\tlabel", False, True),
        (b"qid,score", True, False),
        (b"a,b", False, False),
        (b"query\tQ0\tx\ty\tnan\tz", False, False),
        (b"query\tdoc\t5", False, False),
        (b"query", False, False),
        (b"", False, False),
    ],
)
def test_a_header_names_topic_and_doc_and_holds_no_number(
    header: bytes, csv: bool, tsv: bool
) -> None:
    source = Source("x", held=header + b"\n")
    assert (Csv().looks_like(source), Tsv().looks_like(source)) == (csv, tsv)
