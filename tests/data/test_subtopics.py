"""Judgments per subtopic hold each triple once."""

from collections.abc import Callable

import polars as pl
import pytest

from leadline.data.subtopics import Subtopics


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: pl.concat([frame, frame]),
        lambda frame: frame.with_columns(grade=-pl.col("grade")),
        lambda frame: frame.drop("subtopic"),
    ],
)
def test_subtopic_judgments_that_make_no_sense_are_refused(
    change: Callable[[pl.DataFrame], pl.DataFrame],
) -> None:
    frame = pl.DataFrame(
        {"topic": ["1", "1"], "subtopic": ["1", "2"], "doc": ["a", "a"], "grade": [1, 2]},
        schema_overrides={"grade": pl.Int16},
    )
    assert Subtopics(frame).documents()["grade"].to_list() == [2]
    with pytest.raises(ValueError, match=r"twice|negative|columns"):
        Subtopics(change(frame))
