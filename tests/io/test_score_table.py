"""Tables of scores: checked row by row before anything is made of them."""

from pathlib import Path

import pytest

import leadline
from leadline.io.problems import InputError
from leadline.io.score_table import score_table


def test_an_empty_score_is_undefined_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "scores").write_bytes(b"run,value\na,0.5\nb,\n")
    assert score_table(tmp_path / "scores").means.rows() == [("a", 0.5)]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"run,value\na,0.5\n\nb,high\n", ":4: the score must be a number, found 'high'"),
        (b"run,value\na,1_0\n", ":2: the score must be a number"),
        (b"run,value\na,nan\n", ":2: the score must be a number"),
        (b"run,value\na,0.5\nb,-inf\n", ":3: the score must be a number, found '-inf'"),
        (b"run,value\na,1e999\n", ":2: the score must be a number"),
        (b"run,value\n,0.5\n", ":2: the run is missing"),
        (b"run,topic,value\na,1,0.5\na,,0.5\n", ":3: the topic is missing"),
        (b"run,value\na,0.5\nb,0.5\na,0.5\n", ":4: has two scores of a"),
        (b'[{"run": "a", "value": 1}, {"run": null, "value": 1}]', "row 2: the run is missing"),
        (b'[{"run": "a", "value": Infinity}]', "row 1: the score must be a number"),
        (b'[{"run": "a", "value": [1]}]', "row 1: the score must be a number"),
        (b'[{"run": "a", "value": true}]', "row 1: the score must be a number"),
        (b'[{"run": ' + b"[" * 100_000, ":1: is nested too deep"),
        (b"[1]", "is no table of scores: expected"),
        (b"run,value\na,\xe9\n", ":2: is not UTF-8"),
        (b"\0\1\2", ":1: holds a NUL byte"),
        (b"", "is empty"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "scores").write_bytes(content)
    with pytest.raises(InputError, match=told):
        score_table(tmp_path / "scores")
    with pytest.raises(InputError, match=told):
        leadline.correlate({"a": 1.0, "b": 0.5}, tmp_path / "scores")


def test_rows_without_a_measure_are_not_those_of_another(tmp_path: Path) -> None:
    rows = b'[{"run": "a", "measure": "AP", "value": 1}, {"run": "b", "measure": null, "value": 2}]'
    (tmp_path / "scores").write_bytes(rows)
    with pytest.raises(InputError, match="holds 2 measures"):
        score_table(tmp_path / "scores")
