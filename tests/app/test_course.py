"""How a session went: judged shares by rank, and contenders."""

import pytest

from leadline.app.state import Course, Point
from leadline.judging.order import orders
from leadline.judging.session import Session
from tests.app.rooms import some_runs
from tests.collections import Small


def course_of(n_docs: int = 8) -> Course:
    return Course(Session(some_runs(n_docs), orders.parse("MoffatA(p=0.8)")))


def judge(course: Course, n: int, grade: int = 0) -> None:
    for _ in range(n):
        (choice,) = course.session.ask()
        course.session.count(choice.pair, grade)
        course.note(choice.pair, 1)


def test_judged_documents_are_counted_to_each_depth() -> None:
    course = course_of()
    assert course.depths == [1, 5]
    # Run a has eight documents on both topics; b has seven on the second.
    assert course.size.tolist() == [[2, 10], [2, 10]]
    pairs = course.session.runs.pairs
    course.note(pairs.number("1", "d0"), 1)
    # First of a's list on topic 1, last of b's.
    assert course.judged.tolist() == [[1, 1], [0, 0]]
    course.note(pairs.number("1", "d4"), 1)
    assert course.judged.tolist() == [[1, 2], [0, 1]]
    course.note(pairs.number("1", "d0"), -1)
    assert course.judged.tolist() == [[0, 1], [0, 1]]


def test_what_was_judged_before_counts_from_the_start() -> None:
    small = Small({"r": {"1": ["a", "b"]}}, {"1": {"a": 1}}, 1)
    runs, known = small.tables()
    course = Course(Session(runs, orders.parse("MoffatA(p=0.8)"), judgments=known))
    assert course.judged.tolist() == [[1]]
    assert course.points == [Point(1, 0)]


def test_there_is_a_point_for_every_judgment() -> None:
    course = course_of()
    judge(course, 3)
    assert [point.judged for point in course.points] == [0, 1, 2, 3]


@pytest.mark.parametrize("most", [2, 5, 100])
def test_a_long_course_is_thinned_and_keeps_its_ends(most: int) -> None:
    course = course_of()
    judge(course, 9)
    shown = course.falling(most)
    assert len(shown) == min(most, 10)
    assert (shown[0], shown[-1]) == (course.points[0], course.points[-1])
    assert [point.judged for point in shown] == sorted({point.judged for point in shown})
