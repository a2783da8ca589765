"""Small collections are the same for the same seed, sound, and reach the ends of things."""

from itertools import islice

import numpy as np

from leadline.contracts.collections import SmallCollection, completed, small_collections


def test_the_same_seed_gives_the_same_collections() -> None:
    first, second = (list(small_collections(12, seed=3)) for _ in range(2))
    assert first == second
    assert len(first) == 12
    assert first != list(small_collections(12, seed=4))


def test_the_first_ones_reach_the_ends() -> None:
    nothing, everything, none_relevant, unanswered, empty = islice(small_collections(), 5)
    assert not any(nothing.grades.values())
    for topic, known in everything.grades.items():
        assert set(everything.returned(topic)) <= set(known)
    assert {grade for known in none_relevant.grades.values() for grade in known.values()} == {0}
    assert unanswered.returned("1") == []
    assert any(not any(lists.values()) for lists in empty.runs.values())


def test_tables_hold_what_the_collection_says() -> None:
    for small in small_collections(30):
        runs, judgments = small.tables()
        for run, name in enumerate(runs.names):
            for at, topic in enumerate(runs.pairs.topics):
                part = runs.pair[runs.start[run, at] : runs.stop[run, at]]
                docs = [runs.pairs.name(int(pair))[1] for pair in part]
                assert docs == small.runs[name].get(topic, [])
        known = {
            runs.pairs.name(int(pair)): int(judgments.grade[pair])
            for pair in np.flatnonzero(judgments.judged)
        }
        assert known == {
            (topic, doc): grade
            for topic, inner in small.grades.items()
            for doc, grade in inner.items()
        }
        assert judgments.max_grade == small.max_grade


def test_a_completion_keeps_what_is_known_and_judges_all_that_is_returned() -> None:
    random = np.random.default_rng(0)
    for small in small_collections(10):
        complete = completed(small, random)
        for topic, known in small.grades.items():
            assert known.items() <= complete.grades[topic].items()
            assert set(small.returned(topic)) <= set(complete.grades[topic])


def test_some_runs_and_some_topics() -> None:
    small = SmallCollection(
        {"x": {"1": ["a"], "2": ["b"]}, "y": {"1": ["c"]}}, {"1": {"a": 1}, "2": {}}, 1
    )
    assert list(small.with_runs(["y", "x"]).runs) == ["y", "x"]
    assert small.with_topics(["2"]) == SmallCollection({"x": {"2": ["b"]}, "y": {}}, {"2": {}}, 1)
    assert small.with_grades({"2": {"b": 0}}).grades == {"1": {"a": 1}, "2": {"b": 0}}
