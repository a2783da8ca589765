"""Cascades: each relevant document of a subtopic is worth less than the one before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.subtopic_lists import cascade, check_cascade, ideal

rows = st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=3)
DISCOUNT = 1 / np.arange(1, 5)


def by_hand(row: list[bool], alpha: float) -> float:
    total, seen = 0.0, 0
    for rank, relevant in enumerate(row, 1):
        if relevant:
            total += (1 - alpha) ** seen / rank
            seen += 1
    return total


@given(rows, st.sampled_from([0.0, 0.5, 1.0]))
def test_a_row_adds_up_what_its_relevant_documents_are_worth(
    relevant: list[list[bool]], alpha: float
) -> None:
    found = cascade(np.array(relevant), DISCOUNT, alpha)
    assert found.tolist() == pytest.approx([by_hand(row, alpha) for row in relevant])


@given(rows, st.integers(0, 3), st.floats(0, 1))
def test_another_relevant_document_never_lowers_it(
    relevant: list[list[bool]], at: int, alpha: float
) -> None:
    mask = np.array(relevant)
    more = mask.copy()
    more[:, at] = True
    before, after = (cascade(each, DISCOUNT, alpha) for each in (mask, more))
    assert (after >= before - 1e-12).all()


def test_the_ideal_is_all_relevant() -> None:
    assert ideal(DISCOUNT, 0.5) == pytest.approx(by_hand([True] * 4, 0.5))


@pytest.mark.parametrize(("alpha", "beta"), [(-0.1, 0.5), (1.1, 0.5), (0.5, 1.0), (0.5, -0.1)])
def test_what_is_no_probability_is_refused(alpha: float, beta: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        check_cascade(alpha, beta)
