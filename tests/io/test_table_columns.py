"""Columns are found by their usual names; faulty rows are named, or left out."""

import polars as pl
import pytest

from leadline.io.formats import Reading
from leadline.io.problems import InputError
from leadline.io.tabular import NAMES, qrels_columns, run_columns


@pytest.mark.parametrize("topic", NAMES["topic"])
@pytest.mark.parametrize("doc", NAMES["doc"])
def test_names_of_columns_in_any_case(topic: str, doc: str) -> None:
    frame = pl.DataFrame({topic.upper(): [1], doc: ["a"], "Rank": [3]})
    assert run_columns(frame, "x", Reading()).rows() == [("1", "a", -3.0)]


def test_faulty_rows_are_named_or_left_out() -> None:
    frame = pl.DataFrame({"qid": ["1", "", "1"], "docno": ["a", "b", "c"], "rel": ["1", "1", "x"]})
    with pytest.raises(InputError) as error:
        qrels_columns(frame, "x", Reading())
    assert [problem.code for problem in error.value.problems] == ["topic", "grade"]
    reading = Reading(skip_bad_lines=True)
    assert qrels_columns(frame, "x", reading)["doc"].to_list() == ["a"]
    assert "2 faulty rows" in reading.notices.lines()[0]


def test_a_pair_that_says_why_it_has_no_label_is_unjudged() -> None:
    states = ["labelled", "refused", "labelled", "malformed", "failed", "unasked"]
    labels = {"topic": ["1"] * 6, "doc": list("abcdef"), "grade": ["2", None, "0", "", None, None]}
    frame = pl.DataFrame({**labels, "state": states})
    reading = Reading()
    assert qrels_columns(frame, "x", reading)["doc"].to_list() == ["a", "c"]
    assert reading.notices.lines() == ["x: 4 pairs have no label, and count as unjudged"]
    with pytest.raises(InputError, match="row 1: the grade must be"):
        qrels_columns(frame[1:2].with_columns(state=pl.lit("labelled")), "x", Reading())
    with pytest.raises(InputError, match="is empty"):
        qrels_columns(frame[1:2], "x", Reading())
