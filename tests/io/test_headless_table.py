"""Runs and judgments without a header, of three to five columns, told by what stands in them."""

from pathlib import Path

import pytest

import leadline
from leadline.io.formats import format_of
from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.tabular import HeadlessTable

QRELS = {"q1": {"d1": 1}, "q2": {"d3": 1}}
# The second document of q1 is relevant, the first of q2: 1/2 and 1.
RUNS = {
    "topic doc score": "q1 d2 9.0\nq1 d1 8\nq2 d3 2e-1\n",
    "topic doc rank": "q1\td2\t1\nq1\td1\t2\nq2\td3\t1\n",
    "topic doc rank score": "q1,d2,1,0.5\nq1,d1,2,0.4\nq2,d3,1,0.5\n",
    "topic Q0 doc score": "q1 Q0 d2 9.5\nq1 Q0 d1 8.5\nq2 Q0 d3 7.5\n",
    "topic Q0 doc rank score": "q1 Q0 d2 1 9.5\nq1 Q0 d1 2 8.5\nq2 Q0 d3 1 7\n",
    "topic doc rank score tag": "q1 d2 1 9.5 x\nq1 d1 2 8.5 x\nq2 d3 1 7 x\n",
}
WHOLE = {
    "topic doc rank score": "q1 d2 1 9\nq1 d1 2 8\nq2 d3 1 7\n",
    "topic doc rank score tag": "q1 d2 1 9 x\nq1 d1 2 8 x\nq2 d3 1 7 x\n",
}


@pytest.mark.parametrize("columns", RUNS)
@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_a_run_without_rank_or_tag_is_read_and_its_columns_are_told(
    columns: str, separator: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.txt"
    text = RUNS[columns].replace(",", " ").replace("\t", " ").replace(" ", separator)
    file.write_text(text)
    found = leadline.evaluate(QRELS, file, "RR", per_topic=True)
    assert found["value"].to_list() == [0.5, 1.0, 0.75]
    told = f"has {len(columns.split())} columns and no header: read as {columns}"
    assert found.notices.lines() == [f"{file}: {told}"]


@pytest.mark.parametrize("columns", WHOLE)
@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_whole_scores_are_not_taken_for_grades(
    columns: str, separator: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(WHOLE[columns].replace(" ", separator))
    found = leadline.evaluate(QRELS, file, "RR", per_topic=True)
    assert found["value"].to_list() == [0.5, 1.0, 0.75]
    assert any(line.endswith(f"read as {columns}") for line in found.notices.lines())


def test_judgments_of_three_columns_are_read_though_grades_may_look_like_ranks(
    tmp_path: Path,
) -> None:
    file = tmp_path / "qrels.tsv"
    file.write_text("q1\td1\t1\nq1\td2\t2\nq2\td3\t1\n")
    found = leadline.evaluate(file, {"q1": {"d1": 1.0}}, "P@1")
    assert found["value"].to_list() == [0.5]
    assert any("read as topic doc grade" in line for line in found.notices.lines())


@pytest.mark.parametrize(
    "text",
    [
        b"1 0 d1 1\n1 0 d2 0\n",  # judgments of TREC
        b"1 Q0 d1 1\n1 Q0 d2 0\n",  # the same as some tools write them
        b"1 1 1 1\n1 2 2 0\n",  # judgments of subtopics, of documents that are numbers
        b"1 Q0 1 1\n1 Q0 2 0\n",
        b"1 0 d1 1 0.5\n",  # a sample of judgments
        b"1 Q0 d1 1 3.0 tag\n",
        b"qid,docno,score\n1,d1,3.0\n",
        b"one two\n",
        b"",
    ],
)
def test_other_files_are_left_alone(text: bytes) -> None:
    assert not isinstance(format_of(Source("x", held=text), "run"), HeadlessTable)


def test_whole_scores_that_do_not_count_from_one_are_scores() -> None:
    source = Source("x", held=b"1 a 2\n1 b 1\n")
    assert HeadlessTable().table(source).columns == ["topic", "doc", "score", "line"]


def test_lines_of_another_width_are_named() -> None:
    source = Source("x", held=b"1 a 2.5\n1 b 1.5 more and more\n1 c 1.0\n")
    with pytest.raises(InputError, match="x:2: expected 3 fields as in most lines"):
        HeadlessTable().table(source)


def test_a_run_in_the_place_of_judgments_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(RUNS["topic doc rank score"])
    with pytest.raises(InputError, match=r"as a run\. Give the qrels first, then the runs"):
        leadline.evaluate(file, {"q1": {"d1": 1.0}}, "P@1")
