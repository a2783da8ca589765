"""Probabilities of subtopics, from a file or a mapping; every judged topic has some."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from leadline.data.subtopics import Subtopics
from leadline.io.problems import InputError
from leadline.io.topics import intents_from

ROWS = [("1", "x", "a", 1), ("1", "y", "b", 1), ("2", "x", "a", 1), ("3", "x", "a", 0)]
SUBTOPICS = Subtopics(
    pl.DataFrame(
        ROWS,
        schema={"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16},
        orient="row",
    )
)


def test_a_file_and_a_mapping_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "intents").write_text("# note\n1 x 0.25\n\n1 y 0.75\n2 x 1\n")
    expected = {("1", "x"): 0.25, ("1", "y"): 0.75, ("2", "x"): 1.0}
    assert intents_from(tmp_path / "intents", SUBTOPICS) == expected
    assert intents_from({1: {"x": 0.25, "y": 0.75}, "2": {"x": 1}}, SUBTOPICS) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 x\n", "intents:1: expected topic, subtopic and probability, found"),
        ("1 x 1\n1 y half\n", "intents:2: expected"),
        ("1 x -0.5\n2 x 1\n", "topic 1, subtopic x: -0.5 is no probability"),
        ("1 x inf\n2 x 1\n", "is no probability"),
        ("1 x 1\n", "has no probability for topic 2, which has judgments"),
        ("1 x 1\n2 x 0\n", "has no probability for topic 2"),
    ],
)
def test_faults_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "intents").write_text(text)
    with pytest.raises(InputError, match=told):
        intents_from(tmp_path / "intents", SUBTOPICS)


@pytest.mark.parametrize("what", [5, [("1", "x", 1.0)]])
def test_what_is_neither_is_refused(what: Any) -> None:
    with pytest.raises(InputError, match="expected a file or a mapping"):
        intents_from(what, SUBTOPICS)
