"""A grade is found where it is said plainly, and nowhere else."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.labels.client import Token, Verdict, probability_of, read_verdict

SCALE = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("grade: 2", 2),
        ("Grade = 0", 0),
        ("**Grade:** 3\n", 3),
        ('{"grade": 1, "confidence": 0.9}', 1),
        ("`grade`: `2`", 2),
        ("grade: 1\nOn reflection:\ngrade: 2", 2),
        ("<think>grade: 0 or 1?</think>\ngrade: 3", 3),
        ("I wonder, grade: 0</think>grade: 1", 1),
        ("grade: 2 (of 0 to 3)", 2),
        (" 2.\n", 2),
        ("**1**", 1),
    ],
)
def test_what_is_a_grade(text: str, grade: int) -> None:
    verdict = read_verdict(text, SCALE)
    assert verdict.state == "labelled"
    assert verdict.grade == grade
    assert text[verdict.begin : verdict.end] == str(grade)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "relevant",
        "grade: 4",
        "grade: 2.5",
        "grade: 1-2",
        "grade: 1 or 2",
        "grade: 2/3",
        "grade: -1",
        "-1",
        "2 3",
        "Grade 0: not relevant",
        "upgrade: 2",
        "grade: " + "9" * 5000,
        "9" * 5000,
        "<think>grade: 2",
        "grade: two",
    ],
)
def test_what_is_none(text: str) -> None:
    assert read_verdict(text, SCALE) == Verdict("malformed")


def test_a_model_may_decline() -> None:
    assert read_verdict("grade: none", SCALE).state == "refused"
    assert read_verdict("Grade: None of it is about cats", SCALE).state == "refused"


@given(st.text(max_size=40), st.sampled_from(SCALE))
def test_nothing_before_hides_the_last_line(before: str, grade: int) -> None:
    before = before.replace("<think>", "")
    assert read_verdict(f"{before}\ngrade: {grade}", SCALE).grade == grade


def test_the_probability_is_that_of_the_tokens_that_spell_the_grade() -> None:
    text = "grade: 12"
    verdict = read_verdict(text, [12])
    tokens = [Token("gra", -3.0), Token("de", -2.0), Token(": 1", -0.5), Token("2", -0.25)]
    assert probability_of(verdict, text, tokens) == pytest.approx(math.exp(-0.75))
    assert probability_of(verdict, text, tokens[1:]) is None, "not the tokens of this text"
    assert probability_of(Verdict("malformed"), text, tokens) is None
    assert probability_of(verdict, text, [Token(text, math.nan)]) is None
    assert probability_of(verdict, text, [Token(text, 0.1)]) == 1.0
