"""Lists show measures every list once, whole or condensed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data import lists as lists_module
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.pairs import Pairs
from leadline.data.runs import Runs
from tests.collections import Small, small_collections

PAIRS = Pairs.of(["1", "1", "2"], ["a", "b", "a"])


def runs_of(**changes: object) -> Runs:
    values = {
        "names": ("x",),
        "pair": np.array([1, 0, 2]),
        "start": np.array([[0, 2]]),
        "stop": np.array([[2, 3]]),
    }
    return Runs(PAIRS, **{**values, **changes})  # type: ignore[arg-type]


@given(small_collections(n_runs=4), st.integers(1, 40))
def test_blocks_hold_every_list_once_whatever_their_size(small: Small, cells: int) -> None:
    lists = small.lists()
    before, lists_module.CELLS = lists_module.CELLS, cells
    try:
        for depth in (None, 1, 3):
            seen = []
            for block in lists.blocks(depth):
                seen += block.row.tolist()
                for i, row in enumerate(block.row):
                    r, t = divmod(int(row), len(lists.topics))
                    part = slice(lists.start[r, t], lists.stop[r, t])
                    n = block.length[i]
                    assert n == min(part.stop - part.start, depth or 99)
                    assert block.judged[i, :n].tolist() == lists.judged[part][:n].tolist()
                    assert block.grade[i, :n].tolist() == lists.grade[part][:n].tolist()
                    assert not block.judged[i, n:].any()
                    assert not block.unjudged[i, n:].any()
                    assert block.counts[i].tolist() == lists.counts[t].tolist()
            assert sorted(seen) == list(range(lists.start.size))
    finally:
        lists_module.CELLS = before


@given(small_collections())
def test_condensed_lists_hold_the_judged_documents_in_order(small: Small) -> None:
    lists = small.lists()
    condensed = lists.condensed()
    assert condensed.judged.all()
    for r, t in np.ndindex(lists.start.shape):
        part = slice(lists.start[r, t], lists.stop[r, t])
        kept = lists.grade[part][lists.judged[part]]
        assert (
            condensed.grade[condensed.start[r, t] : condensed.stop[r, t]].tolist() == kept.tolist()
        )


def test_runs_and_judgments_must_be_over_the_same_pairs() -> None:
    other = Pairs.of(["1", "1", "2"], ["a", "b", "a"])
    judgments = Judgments(other, [True, False, True], [1, 0, 0])
    with pytest.raises(ValueError, match="same pairs"):
        Lists.of(runs_of(), judgments)
