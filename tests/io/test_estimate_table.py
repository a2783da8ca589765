"""Estimates given as csv."""

from pathlib import Path

import pytest

from leadline.io.score_table import estimate_table

HEAD = "run,topic,measure,estimator,value,standard_error,lower,upper\n"


def test_a_file_of_estimate_is_read_by_estimator(tmp_path: Path) -> None:
    file = tmp_path / "e.csv"
    file.write_text(
        HEAD
        + (
            "a,1,AP,LowerBound,0.9,,,\na,all,AP,LowerBound,0.25,,,\nb,all,AP,LowerBound,0.5,,,\n"
            "a,all,AP,UpperBound,,,,\n"
        )
    )
    assert estimate_table(file).rows() == [
        ("a", "AP", "LowerBound", 0.25),
        ("b", "AP", "LowerBound", 0.5),
        ("a", "AP", "UpperBound", None),
    ]


def test_without_an_estimator_the_file_names_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("run,measure,value\na,AP,0.5\n")
    assert estimate_table(file).rows() == [("a", "AP", "mine", 0.5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,value\na,1\n", "has no column measure"),
        ("run,measure,value\na,AP,high\n", "must be a number, found 'high'"),
        ("", "is empty"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "e.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        estimate_table(file)
