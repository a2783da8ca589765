"""A block in which every document has a grade scores as the plain twins do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.lists import CompleteBlock
from leadline.measures.measure import parse_measure
from tests.reference import measures as plain
from tests.tries import tries

TOP = 3
TWINS = {
    "nDCG@3": lambda ranking, grades: plain.ndcg(ranking, grades, 3),
    "nDCG": plain.ndcg,
    "AP": plain.ap,
    "AP(rel=2)": lambda ranking, grades: plain.ap(ranking, grades, rel=2),
    "Recall@2": lambda ranking, grades: plain.recall(ranking, grades, 2),
    "RR": plain.rr,
    "Rprec": plain.rprec,
    "ERR@3": lambda ranking, grades: plain.err(ranking, grades, 3, max_grade=TOP),
    "P@3": lambda ranking, grades: plain.precision(ranking, grades, 3),
}


@pytest.mark.parametrize("name", TWINS)
@tries(10)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, TOP), max_size=6), st.lists(st.integers(0, TOP), max_size=4)
        ),
        min_size=1,
        max_size=4,
    )
)
def test_scores_are_those_of_the_plain_twin(
    name: str, lists: list[tuple[list[int], list[int]]]
) -> None:
    measure = parse_measure(name)
    width = min(measure.depth or 6, 6)
    grade = np.zeros((len(lists), width), np.int16)
    counts = np.zeros((len(lists), TOP + 1), np.int64)
    for row, (listed, elsewhere) in enumerate(lists):
        grade[row, : len(listed[:width])] = listed[:width]
        for each in listed + elsewhere:
            counts[row, each] += 1
    length = np.array([min(len(listed), width) for listed, _ in lists])
    block = CompleteBlock.of(grade, length, counts)
    value, lower, upper = measure.interval(block, TOP)
    for row, (listed, elsewhere) in enumerate(lists):
        grades = {f"l{at}": each for at, each in enumerate(listed)}
        grades |= {f"e{at}": each for at, each in enumerate(elsewhere)}
        true = TWINS[name]([f"l{at}" for at in range(len(listed))], grades)
        if math.isnan(true):
            assert math.isnan(value[row])
        else:
            assert value[row] == pytest.approx(true, abs=1e-12)
            assert lower[row] <= value[row] + 1e-12
            assert upper[row] >= value[row] - 1e-12


def test_nothing_is_unjudged() -> None:
    block = CompleteBlock.of(np.array([[1, 0, 0]], np.int16), np.array([2]), np.array([[0, 3]]))
    assert not block.unjudged.any()
    assert block.n_judged.tolist() == [2]
    assert block.n_unjudged.tolist() == [0]
    assert [part.tolist() for part in block.cells] == [[0], [0], [1]]
