"""Lists by subtopic: one row a subtopic, whatever the size of a block."""

from dataclasses import replace

import numpy as np
import pytest

from leadline.data.lists import Lists
from leadline.measures import subtopic_lists as blocks
from leadline.measures.diversity import sketch_subtopics
from leadline.measures.subtopic_lists import SubtopicBlock, subtopic_blocks, subtopics_of
from tests.collections import Small


def one_block(lists: Lists, depth: int | None = None, every: bool = True) -> SubtopicBlock:
    (block,) = subtopic_blocks(lists, depth, every=every)
    return block


def test_a_row_holds_the_grades_of_its_subtopic() -> None:
    block = one_block(sketch_subtopics("a:2,b ? - b", elsewhere="a c:0"))
    assert block.grade.tolist() == [[2, 0, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]]
    assert block.n_relevant.tolist() == [2, 2, 0]
    assert block.counted.tolist() == [True, True, False]
    assert block.judged.tolist() == [[True, False, True, True]]
    assert block.unjudged.tolist() == [[False, True, False, False]] * 3
    assert block.by_list(np.array([1.0, 2.0, 4.0])).tolist() == [7.0]


def test_a_cut_list_shows_no_more_and_subtopics_nobody_suits_are_left_out() -> None:
    block = one_block(sketch_subtopics("a ? b", elsewhere="c:0"), depth=2, every=False)
    assert block.grade.tolist() == [[1, 0], [0, 0]]
    assert (block.length.tolist(), block.rank.tolist()) == ([2], [1, 2])


def test_small_blocks_hold_every_list_once(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = sketch_subtopics("a:2,b ? a b c a,c")
    # Three lists of 3, 1 and 2 documents, and one that is empty.
    cuts = np.array([0, 3, 4, 6, 6])
    several = replace(lists, runs=("w", "x", "y", "z"), start=cuts[:-1, None], stop=cuts[1:, None])
    whole = one_block(several)
    monkeypatch.setattr(blocks, "CELLS", 3)
    parts = list(subtopic_blocks(several, None))
    assert len(parts) > 1
    assert sorted(int(row) for part in parts for row in part.row) == [0, 1, 2, 3]
    for part in parts:
        for own, row in enumerate(part.row.tolist()):
            width = int(part.length[own])
            expected = whole.grade[whole.owner == whole.row.tolist().index(row), :width]
            assert part.grade[part.owner == own, :width].tolist() == expected.tolist()


def test_lists_without_subtopics_are_refused() -> None:
    with pytest.raises(ValueError, match="needs lists with grades per subtopic"):
        subtopics_of(Small({"x": {"1": ["a"]}}, {"1": {"a": 1}}, 1).lists())
