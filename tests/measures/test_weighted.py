"""Sums of weights over masks, whatever else stands in the block."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.measure import graded_sums, open_sums, row_sums
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections


@given(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=4))
def test_row_sums_add_up_the_weights_of_the_mask(rows: list[list[bool]]) -> None:
    mask, weights = np.array(rows), 0.5 ** np.arange(5)
    expected = [sum(w for w, kept in zip(weights, row, strict=True) if kept) for row in rows]
    assert row_sums(mask, weights).tolist() == expected
    assert row_sums(mask, np.tile(weights, (len(rows), 1))).tolist() == expected


@given(small_collections())
def test_judged_and_open_weight_are_sums_over_the_list(small: Small) -> None:
    lists = small.lists()
    gain = np.arange(small.max_grade + 1) / 2
    for block in lists.blocks(None):
        weights = RBP(p=0.6).weights(block.judged.shape[1])
        graded, open_ = graded_sums(block, gain, weights), open_sums(block, weights)
        for i, row in enumerate(block.row):
            r, t = divmod(int(row), len(lists.topics))
            part = slice(lists.start[r, t], lists.stop[r, t])
            cells = list(zip(lists.judged[part], lists.grade[part], weights, strict=False))
            assert np.isclose(graded[i], sum(gain[g] * w for known, g, w in cells if known))
            assert np.isclose(open_[i], sum(w for known, _, w in cells if not known), atol=1e-12)


def test_the_company_of_a_list_never_changes_its_last_digit() -> None:
    """Sums are taken from left to right in every list, however wide the block."""
    weights = RBP(p=0.93).weights(300)
    mask = np.random.default_rng(0).random((1, 100)) < 0.5
    wide = np.zeros((1, 300), np.bool_)
    wide[:, :100] = mask
    assert row_sums(mask, weights[:100])[0] == row_sums(wide, weights)[0]
