"""Grades have a name and a key of their own."""

from typing import Any

import pytest

from leadline.judging.project import SCALES, TAKEN, Grade, check_scale


def test_a_grade_is_its_own_key_and_keys_are_small_letters() -> None:
    assert Grade(2, "Relevant").key == "2"
    assert Grade(2, "Relevant", "R").key == "r"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((-1, "No"), "from 0 to 1000, not -1"),
        ((1001, "No"), "not 1001"),
        ((True, "No"), "not True"),
        ((1.0, "No"), "not 1.0"),
        ((1, "  "), "grade 1 needs a name"),
        ((10, "Ten"), "must be 0-9 or a letter, not '10'"),
        ((1, "No", "ß"), "must be 0-9 or a letter"),
        ((1, "No", "?"), "must be 0-9 or a letter"),
        ((1, "No", "U"), "the key U of grade 1 is taken"),
    ],
)
def test_what_makes_no_grade_is_refused(values: tuple[Any, ...], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Grade(*values)


def test_every_taken_letter_is_refused() -> None:
    for key in TAKEN & set("abcdefghijklmnopqrstuvwxyz"):
        with pytest.raises(ValueError, match="taken"):
            Grade(0, "No", key)


def test_a_scale_has_different_grades_and_keys() -> None:
    no, yes = Grade(0, "No"), Grade(1, "Yes")
    check_scale((no, yes))
    for grades, told in (
        ((no,), "two grades at least"),
        ((no, Grade(0, "Never", "x")), "two grades have the grade 0"),
        ((no, Grade(1, "Yes", "0")), "two grades have the key 0"),
    ):
        with pytest.raises(ValueError, match=told):
            check_scale(grades)


@pytest.mark.parametrize("name", SCALES)
def test_ready_made_scales_hold_from_nothing_to_most(name: str) -> None:
    check_scale(SCALES[name])
    assert [grade.grade for grade in SCALES[name]] == list(range(len(SCALES[name])))
    assert all(grade.meaning for grade in SCALES[name])
