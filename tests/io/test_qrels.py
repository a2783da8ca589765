"""Judgments as readers hand them on: what is unknown stays unknown, the scale stays."""

import numpy as np
import polars as pl
import pytest

from leadline.io.qrels import Qrels

FRAME = pl.DataFrame(
    {
        "topic": ["2", "2", "10", "3"],
        "doc": ["a", "b", "a", "a"],
        "grade": pl.Series([3, None, 0, None], dtype=pl.Int16),
        "inclusion": [0.5, None, None, None],
        "stratum": pl.Series([None, 2, None, None], dtype=pl.Int16),
    }
)


def test_a_table_goes_there_and_back() -> None:
    found = Qrels.of_frame(FRAME)
    assert found.frame.equals(FRAME)
    assert found.judged.tolist() == [True, False, True, False]
    assert found.max_grade == 3
    plain = Qrels.of_frame(FRAME.select("topic", "doc", "grade"))
    assert plain.inclusion is None
    assert plain.stratum is None
    assert plain.frame["inclusion"].null_count() == 4


def test_columns_that_hold_nothing_are_none() -> None:
    empty = FRAME.with_columns(inclusion=pl.lit(None, pl.Float64))
    assert Qrels.of_frame(empty).inclusion is None


def test_topics_of_which_something_is_judged_are_in_the_order_people_count() -> None:
    assert Qrels.of_frame(FRAME).judged_topics == ["2", "10"]
    assert Qrels.nothing().judged_topics == []
    assert len(Qrels.nothing().frame) == 0


def test_fewer_topics_keep_the_scale() -> None:
    some = Qrels.of_frame(FRAME, "mine").restrict(["10"])
    assert some.frame["topic"].to_list() == ["10"]
    assert some.max_grade == 3
    assert some.name == "mine"


@pytest.mark.parametrize(("grade", "given", "top"), [(0, 0, 1), (2, 0, 2), (2, 4, 4)])
def test_the_scale_is_at_least_1_and_the_highest_grade(grade: int, given: int, top: int) -> None:
    frame = FRAME.head(1).with_columns(grade=pl.lit(grade, pl.Int16))
    assert Qrels.of_frame(frame, max_grade=given).max_grade == top


def test_stretches_begin_where_the_topic_changes() -> None:
    first, topic = Qrels.of_frame(FRAME).stretches
    assert first.tolist() == [0, 2, 3]
    assert topic.to_list() == ["2", "10", "3"]
    assert np.diff(first).min() > 0
