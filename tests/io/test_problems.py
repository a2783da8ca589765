"""Findings name file and line, at most ten of a kind."""

import logging
import pickle

import pytest

from leadline.io.problems import LONGEST, MOST, InputError, Notices, Problem, shown


def problem(number: int, code: str = "fields") -> Problem:
    return Problem("a.run", number, "error", code, f"fault {number}")


@pytest.mark.parametrize(
    ("file", "line", "text"),
    [("a.run", 3, "a.run:3: bad"), ("a.run", None, "a.run: bad"), ("", None, "bad")],
)
def test_a_problem_says_where(file: str, line: int | None, text: str) -> None:
    assert str(Problem(file, line, "error", "x", "bad")) == text


def test_ten_of_a_kind_are_shown_and_the_rest_counted_after_them() -> None:
    many = [problem(number) for number in range(MOST + 3)]
    many.insert(5, problem(99, "other"))
    lines = shown(many)
    assert len(lines) == MOST + 2
    assert lines[5] == "a.run:99: fault 99"
    assert lines[-1] == "... and 3 more like these (fields)"
    assert shown(many[: MOST + 1]) == [str(each) for each in many[: MOST + 1]]


def test_two_kinds_that_run_over_are_counted_each_in_its_place() -> None:
    both = [problem(at, code) for code in ("a", "b") for at in range(MOST + 1)]
    lines = shown(both)
    assert lines[MOST] == "... and 1 more like these (a)"
    assert lines[-1] == "... and 1 more like these (b)"


def test_an_error_crosses_processes_whole() -> None:
    error = InputError([problem(1), problem(2)])
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, ValueError)
    assert again.problems == error.problems
    assert str(again) == str(error) == "a.run:1: fault 1\na.run:2: fault 2"


def test_notices_are_told_once_by_their_level(caplog: pytest.LogCaptureFixture) -> None:
    notices = Notices()
    notices.add("a", "warning", "x", "look")
    notices.add("b", "notice", "y", "by the way", 7)
    with caplog.at_level(logging.INFO, "leadline"):
        notices.log()
        notices.log()
    told = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert told == [(logging.WARNING, "a: look"), (logging.INFO, "b:7: by the way")]
    assert notices.lines() == ["a: look", "b:7: by the way"]


def test_a_message_is_cut_where_a_name_is_endless() -> None:
    text = str(InputError.of("run", "doc", f"doc {'x' * 10**6} is listed twice", 7))
    assert text.startswith("run:7: doc xxx")
    assert text.endswith("...")
    assert len(text) == LONGEST + len("run:7: ")
