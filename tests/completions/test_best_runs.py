"""The best k and whether they are out of reach, against trying every choice of k."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.bounds import best_runs, gap_below, out_of_reach
from leadline.data.runs import Runs
from tests.collections import Small


def runs_named(*names: str) -> Runs:
    return Small({name: {"1": [name]} for name in names}, {"1": {}}, 1).tables()[0]


def test_of_equals_the_one_with_more_to_come_is_chosen_then_the_first_by_name() -> None:
    runs = runs_named("c", "b", "a")
    base = np.array([0.2, 0.5, 0.2])
    assert best_runs(runs, base, np.array([0.4, 0.6, 0.3]), 2).tolist() == [True, True, False]
    assert best_runs(runs, base, np.array([0.4, 0.6, 0.4]), 2).tolist() == [False, True, True]
    assert best_runs(runs, base, base, 3).all()


STEPS = st.lists(st.integers(0, 6), min_size=4, max_size=4)


@given(STEPS, STEPS, st.integers(1, 4))
def test_the_best_are_out_of_reach_by_own_intervals_exactly_if_some_k_are(
    found: list[int], left: list[int], k: int
) -> None:
    base = np.array(found) / 10
    ceiling = base + np.array(left) / 10
    best = best_runs(runs_named("a", "b", "c", "d"), base, ceiling, k)
    assert best.sum() == k
    some = any(
        all(ceiling[s] <= base[b] + 1e-9 for b in chosen for s in set(range(4)) - set(chosen))
        for chosen in combinations(range(4), k)
    )
    assert (gap_below(base, ceiling, best) <= 1e-9) == some


def test_every_one_of_the_best_is_asked_whether_it_can_be_passed() -> None:
    base, ceiling = np.array([0.5, 0.4, 0.1]), np.array([0.6, 0.5, 0.2])
    best = np.array([True, True, False])
    asked: list[int] = []

    def upper(run: int) -> np.ndarray:
        asked.append(run)
        return base - base[run]

    assert out_of_reach(base, ceiling, best, upper)
    assert asked == [1, 0], "the lowest first"
    assert not out_of_reach(base, ceiling, best, lambda run: np.array([0.0, 0.0, 0.01 * run]))
    assert not out_of_reach(base, np.array([0.6, 0.5, 0.7]), best, pytest.fail)
