"""Qrels in TREC's format: plain ones at once, the others settled, every fault told."""

import pytest

from leadline.io.formats import Reading
from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.trec import Layout, plain_lines, qrels_text, read_qrels


def test_usual_qrels_are_read_as_they_stand() -> None:
    found = read_qrels(Source("qrels", held=b"2 0 a 1\n1 0 b 0\n2 0 c 3"), Reading())
    assert found.topic.to_list() == ["2", "1", "2"]
    assert found.grade.tolist() == [1, 0, 3]
    assert found.judged.all()
    assert found.max_grade == 3


@pytest.mark.parametrize(
    ("last", "code"),
    [("1 0 a 1", "merged"), ("1 0 c -1", "unjudged-grade"), ("1 1 a 0", "subtopics")],
)
def test_what_is_odd_about_qrels_is_said(last: str, code: str) -> None:
    reading = Reading()
    read_qrels(Source("qrels", held=f"1 0 a 1\n1 0 b 0\n{last}\n".encode()), reading)
    assert [problem.code for problem in reading.notices.problems] == [code]


@pytest.mark.parametrize(
    ("last", "code", "line"),
    [
        ("1 0 a 2", "conflict", 5),
        ("all 0 c 1", "topic-all", None),
        ("1 0 c 40000", "grade", 5),
        ("1 1 a 0\n1 1 a 1", "conflict", 6),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(last: str, code: str, line: int | None) -> None:
    source = Source("qrels", held=f"# x\n1 0 a 1\n\n1 0 b 0\n{last}\n".encode())
    with pytest.raises(InputError) as error:
        read_qrels(source, Reading())
    assert [(each.code, each.line) for each in error.value.problems] == [(code, line)]


def test_judgments_of_subtopics_that_conflict_at_the_end_of_a_long_file_are_named() -> None:
    # polars once panicked here, over a table whose first chunk is empty.
    lines = [f"{n // 50} {n % 3} doc{n // 3:06} {n % 2}" for n in range(12_000)]
    lines += ["9999 1 x 1", "9999 2 x 1", "", "# a comment", "9999 2 x 0"]
    source = Source("qrels", held="\n".join(lines).encode())
    with pytest.raises(InputError, match="grade 0 here and 1 on line 12002") as error:
        read_qrels(source, Reading())
    assert [problem.line for problem in error.value.problems] == [12_005]


@pytest.mark.parametrize(
    ("lines", "layout"),
    [
        ("1 0 a 1\n1 0 b 0", Layout(4, False)),
        ("1 0 a 1 0.5\n1 0 b 0 1", Layout(5, False)),
        ("1 0 a 1 0\n1 0 b 0 1", Layout(5, True)),
        ("1 0 a 1 0\n1 0 b 0 0.5", Layout(5, False)),
        ("1 0 a 1 7\n1 0 b 0 8", Layout(5, False)),
        ("1 0 a 1 0\n1 0 b 0 1\n1 0 b 0\n1 0 c 0", Layout(4, False)),
    ],
)
def test_the_layout_is_that_of_most_lines(lines: str, layout: Layout) -> None:
    assert Layout.of(Source("qrels", held=lines.encode())) == layout


def test_strata_and_probabilities_are_told_apart_by_the_lines_alone() -> None:
    found = plain_lines(b"1 0 a 1 0.5\n1 0 b -1 1\n")
    assert found is not None
    assert found.inclusion is not None
    assert found.inclusion.tolist() == [0.5, 1]
    found = plain_lines(b"1 0 a 3 0\n1 0 b 2 1\n")
    assert found is not None
    assert found.stratum is not None
    assert (found.stratum.tolist(), found.grade.tolist()) == ([3, 2], [0, 1])


def test_what_is_written_is_read_again() -> None:
    grades = {("1", "a"): 1, ("\u00e9", "#b"): 0, ("2", "a\u00a0b\u2028"): 3}
    found = read_qrels(Source("qrels", held=qrels_text(grades).encode()), Reading())
    assert {(topic, doc): grade for topic, doc, grade, *_ in found.frame.rows()} == grades


@pytest.mark.parametrize(
    ("topic", "doc"),
    [("1", "a b"), ("1", "a 1\n2 0 b"), ("#1", "a"), ("\ufeff1", "a"), ("", "a"), ("1", "\ud800")],
)
def test_a_name_that_would_be_read_as_another_is_not_written(topic: str, doc: str) -> None:
    with pytest.raises(InputError, match="cannot be written: no field of qrels may be"):
        qrels_text({("1", "z"): 1, (topic, doc): 1})
