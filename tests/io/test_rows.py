"""Rows know their stretches, topics and runs, and see what comes twice."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.names import Names
from leadline.io import rows as rows_module
from leadline.io.rows import Rows, doc_keys, has_equals, topic_keys
from tests.collisions import key_of, name_with_key
from tests.io.test_join import Line, rows_of, runs


@given(runs, st.integers(0, 30))
def test_a_document_listed_twice_is_seen(lines: list[Line], number: int) -> None:
    assert rows_of(lines).are_sound()
    again = lines[number % len(lines)]
    assert not rows_of([*lines, (again[0], again[1], 7.0)]).are_sound()


LINES = [("1", "a", 3.0), ("1", "b", 2.0), ("2", "a", 1.0), ("1", "c", 0.5)]


def test_stretches_and_topics() -> None:
    rows = rows_of(LINES)
    assert rows.starts.tolist() == [0, 2, 3]
    names, number = rows.topics
    assert [names[at] for at in number] == ["1", "2", "1"]
    assert rows.stretch_of(np.arange(4)).tolist() == [0, 0, 1, 2]
    assert len(Rows.nothing()) == 0
    assert Rows.nothing().topics[0] == []


def test_a_new_run_begins_a_stretch() -> None:
    topic, doc = Names.of(["1", "1", "1"]), Names.of(["a", "b", "a"])
    rows = Rows.of(topic, doc, np.array([2.0, 1.0, 1.0]), np.array([0, 2]))
    assert rows.starts.tolist() == [0, 2]
    assert rows.run_of(np.arange(3)).tolist() == [0, 0, 1]
    # The same document in two runs is no repeat.
    assert rows.are_sound()
    assert rows.list_number[0] != rows.list_number[1]


def test_some_rows_are_those_rows() -> None:
    rows = rows_of(LINES).only(np.array([False, True, True, True]))
    assert rows.doc.to_list() == ["b", "a", "c"]
    assert rows.topic.to_list() == ["1", "2", "1"]
    assert rows.run_score.tolist() == [2.0, 1.0, 0.5]


def test_repeats_name_the_first_row() -> None:
    lines = [*LINES, ("1", "a", 0.1), ("2", "b", 1.0), ("1", "a", 0.2)]
    assert rows_of(lines).repeats() == {4: 0, 6: 0}
    assert rows_of(LINES).repeats() == {}


def test_a_score_that_is_no_number_is_seen() -> None:
    assert not rows_of([("1", "a", float("nan"))]).are_sound()


def test_names_that_share_a_key_are_told_apart() -> None:
    doc, topic = "document-0000001", "topic-A-00000001"
    other_doc, other_topic = name_with_key(key_of(doc, 2), 2), name_with_key(key_of(topic, 1), 1)
    assert rows_of([("1", doc, 2.0), ("1", other_doc, 1.0)]).repeats() == {}
    names, number = rows_of([(topic, "a", 2.0), (other_topic, "a", 1.0)]).topics
    assert [names[at] for at in number] == [topic, other_topic]


@pytest.mark.parametrize("stretch", [1, 2, 5, 1 << 12])
@given(runs, st.integers(0, 30))
def test_repeats_are_seen_in_stretches_of_any_length(
    stretch: int, lines: list[Line], number: int
) -> None:
    together = sorted(lines, key=lambda line: line[0])
    again = together[number % len(together)]
    twice = sorted([*together, (again[0], again[1], 7.0)], key=lambda line: line[0])
    with patch.object(rows_module, "_STRETCH", stretch):
        assert rows_of(together).are_sound()
        assert not rows_of(twice).are_sound()


def test_equals_are_found_among_any() -> None:
    assert has_equals(np.array([3, 1, 3]))
    assert not has_equals(np.array([3, 1, 2]))
    assert not has_equals(np.zeros(0, np.int64))


def test_a_name_has_another_key_as_topic_than_as_document() -> None:
    same = Names.of(["1"])
    assert topic_keys(same) != doc_keys(same)
