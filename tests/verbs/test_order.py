"""The steps of an ordering, and the picture of how the contest was decided."""

import pytest

import leadline

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}
RUNS = {
    "one": {"1": {"a": 9.5, "b": 7.0}, "2": {"c": 3.0, "d": 2.0}},
    "two": {"1": {"b": 9.5, "a": 7.0}, "2": {"d": 3.0, "c": 2.0}},
}


def test_the_course_tells_when_the_best_run_became_certain() -> None:
    result = leadline.order(QRELS, RUNS, answers=QRELS)
    course = result.course()
    assert course["judged"].to_list() == list(range(len(result.steps) + 1))
    assert course["contenders"][0] == 1
    assert (course["contenders"] > 0).to_list() == [True] * len(result.steps) + [False]
    drawn = result.chart().to_dict()
    (points,) = drawn["datasets"].values()
    (name,) = {key for point in points for key in point} - {"judgments", "of"}
    assert [point[name] for point in points] == course["contenders"].to_list()


def test_without_answers_there_is_no_course_to_draw() -> None:
    with pytest.raises(ValueError, match="`answers`"):
        leadline.order(None, RUNS, budget=2).chart()
