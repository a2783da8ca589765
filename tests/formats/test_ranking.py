"""The order of a list equals sorting it by the named rule."""

import numpy as np
import pytest
from hypothesis import given

from leadline.files.problems import Notices
from leadline.formats.ranking import rank, say_float32_ties
from tests.collection.test_join import Line, plainly_ranked, rows_of, runs, topic_of


@given(runs)
def test_lists_are_ordered_by_single_precision_score_then_docno_descending(
    lines: list[Line],
) -> None:
    rows = rows_of(lines)
    ranking = rank(rows)
    order = ranking.arrange(np.arange(len(rows)))
    for first, last in zip(ranking.start, ranking.stop, strict=True):
        part = order[first:last]
        topic = topic_of(rows, int(part[0]))
        assert [rows.doc[int(at)] for at in part] == plainly_ranked(lines, topic)
    assert sorted(order.tolist()) == list(range(len(rows)))


@given(runs)
def test_listed_ranks_keep_the_order_of_the_lines(lines: list[Line]) -> None:
    rows = rows_of(lines)
    ranking = rank(rows, "listed")
    order = ranking.arrange(np.arange(len(rows)))
    for first, last in zip(ranking.start, ranking.stop, strict=True):
        part = order[first:last].tolist()
        topic = topic_of(rows, part[0])
        assert part == [at for at, line in enumerate(lines) if line[0] == topic]


HALF = 1.0 + 1e-12
"""Equal to 1 as a 32-bit float only."""


@pytest.mark.parametrize(("ranks", "order"), [("score", "ba"), ("score64", "ab"), ("listed", "ab")])
def test_the_rule_says_what_is_equal(ranks: str, order: str) -> None:
    rows = rows_of([("1", "a", HALF), ("1", "b", 1.0)])
    ranking = rank(rows, ranks)  # type: ignore[arg-type]
    assert [rows.doc[int(at)] for at in ranking.arrange(np.arange(2))] == list(order)
    assert len(ranking.made) == ranking.n_ties == (ranks == "score")


def test_ties_are_settled_among_themselves_only() -> None:
    rows = rows_of([("1", "a", 2.0), ("1", "c", 1.0), ("1", "d", 1.0), ("2", "x", 1.0)])
    ranking = rank(rows)
    docs = [rows.doc[int(at)] for at in ranking.arrange(np.arange(4))]
    assert docs == ["a", "d", "c", "x"]
    assert (ranking.n_ties, ranking.made.tolist()) == (1, [])
    assert ranking.first_row().tolist() == [0, 3]


def test_arranging_leaves_the_column_as_it_was() -> None:
    rows = rows_of([("1", "a", 1.0), ("1", "b", 1.0)])
    column = np.array([1, 2])
    assert rank(rows).arrange(column).tolist() == [2, 1]
    assert column.tolist() == [1, 2]


def test_scores_beyond_32_bits_are_as_large_as_can_be() -> None:
    rows = rows_of([("1", "a", 1e300), ("1", "b", 1e200), ("1", "c", 1.0)])
    assert rank(rows).n_ties == 1
    assert rank(rows, "score64").n_ties == 0


def test_ties_that_only_32_bits_make_are_said() -> None:
    notices = Notices()
    say_float32_ties("x", 0, notices)
    assert not notices.problems
    say_float32_ties("x", 3, notices)
    assert notices.lines()[0].startswith("x: 3 neighbours have scores that are equal as 32-bit")
