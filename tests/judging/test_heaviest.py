"""The heaviest pair is found as if all were weighed, however few are at hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.judging import by_weight as heaviest
from leadline.judging.by_weight import Heaviest
from tests.tries import tries

N_CELLS = 4
entries = st.lists(
    st.dictionaries(st.integers(0, N_CELLS - 1), st.sampled_from([0.1, 0.25, 1.0]), max_size=3),
    min_size=1,
    max_size=12,
)
factors = st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]), min_size=N_CELLS, max_size=N_CELLS)


def made(pairs: list[dict[int, float]]) -> Heaviest:
    start = np.concatenate([[0], np.cumsum([len(pair) for pair in pairs])]).astype(np.int64)
    cell = np.array([cell for pair in pairs for cell in pair], np.int32)
    share = np.array([share for pair in pairs for share in pair.values()])
    return Heaviest(start, cell, share, np.ones(len(pairs), np.bool_))


def plainly(
    pairs: list[dict[int, float]], factor: list[float], open_: list[bool], extra: list[float]
) -> int | None:
    weights = [
        sum(share * factor[cell] for cell, share in pair.items()) + more * sum(factor)
        for pair, more in zip(pairs, extra, strict=True)
    ]
    able = [at for at, pair in enumerate(pairs) if open_[at] and pair and weights[at] > 0]
    if not able:
        return None
    most = max(weights[at] for at in able)
    return min(at for at in able if weights[at] >= most * (1 - 1e-9))


@pytest.mark.parametrize("at_hand", [1, 3, 2048])
@pytest.mark.parametrize("few", [0, 512])
@pytest.mark.parametrize("many", [0, 200_000])
@tries(10)
@given(pairs=entries, steps=st.lists(factors, min_size=1, max_size=6), shared=st.booleans())
@example(
    pairs=[{0: 0.1}, {0: 0.1, 2: 0.1}, {0: 0.1, 1: 0.1, 2: 0.1}, {0: 0.1, 2: 0.1}],
    steps=[[0.0, 0.0, 0.1, 0.0], [0.1, 0.0, 0.0, 0.0]],
    shared=False,
)
def test_every_step_is_that_of_weighing_all(
    at_hand: int,
    few: int,
    many: int,
    pairs: list[dict[int, float]],
    steps: list[list[float]],
    shared: bool,
) -> None:
    """Dense or sparse, with all pairs at hand or few, while pairs close and factors change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heaviest, "AT_HAND", at_hand)
        patch.setattr(heaviest, "FEW", few)
        patch.setattr(heaviest, "MANY", many)
        search = made(pairs)
        extra = [0.0] * len(pairs)
        if shared:
            extra = [0.05 * (at % 3) for at in range(len(pairs))]
            search.reshare(search.share, np.array(extra))
        for factor in steps:
            found = search.best(np.array(factor))
            expected = plainly(pairs, factor, search.open.tolist(), extra)
            assert (None if found is None else found[0]) == expected
            if found is not None:
                search.open[found[0]] = False


def test_of_equals_the_lowest_is_chosen_each_time() -> None:
    search = made([{0: 1.0}, {1: 1.0}, {0: 1.0}])
    chosen = []
    while (found := search.best(np.ones(N_CELLS))) is not None:
        chosen.append(found[0])
        search.open[found[0]] = False
    assert chosen == [0, 1, 2]
    assert all(one < other for one, other in pairwise(chosen))


def test_a_weight_of_nothing_is_no_reason_to_judge() -> None:
    assert made([{0: 1.0}]).best(np.zeros(N_CELLS)) is None
    assert made([{}]).best(np.ones(N_CELLS)) is None
