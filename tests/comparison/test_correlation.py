"""Orderings of runs compared, against scipy, rbp-eval, hand-worked examples and all tie breaks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rbp_eval.stats import kendall_tau as their_kendall
from rbp_eval.stats import tau_ap as their_tau_ap
from scipy import stats

from leadline.comparison.correlation import orderings
from leadline.comparison.leaders import kept, largest_drop, leader_drop, ranks, swaps
from leadline.comparison.overlap import rbo
from leadline.comparison.rank_correlation import kendall, spearman, tau_ap, tau_ap_b


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


tied = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n),) * 2)
)
strict = st.integers(2, 8).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))
)


def close(ours: float, theirs: float) -> bool:
    return math.isnan(ours) if math.isnan(theirs) else abs(ours - theirs) < 1e-12


def breakings(values: list[int]) -> list[np.ndarray]:
    """Every strict order that breaks the ties, as scores."""
    groups = [
        list(itertools.permutations([at for at, each in enumerate(values) if each == value]))
        for value in sorted(set(values), reverse=True)
    ]
    made = []
    for choice in itertools.product(*groups):
        order = [run for group in choice for run in group]
        scores = np.empty(len(values))
        scores[order] = np.arange(len(values), 0, -1)
        made.append(scores)
    return made


@given(tied)
def test_kendall_and_spearman_equal_scipy(pair: tuple[list[int], list[int]]) -> None:
    a, b = of(*pair[0]), of(*pair[1])
    with np.errstate(all="ignore"):
        assert close(kendall(a, b), stats.kendalltau(a, b).statistic)
    if len(set(pair[0])) > 1 and len(set(pair[1])) > 1:
        assert close(spearman(a, b), stats.spearmanr(a, b).statistic)
    else:
        assert math.isnan(spearman(a, b))


@given(strict)
def test_without_ties_all_agree_with_rbp_eval(pair: tuple[list[int], list[int]]) -> None:
    a, b = of(*pair[0]), of(*pair[1])
    assert close(kendall(a, b, "a"), their_kendall(a, b))
    assert close(kendall(a, b, "b"), their_kendall(a, b))
    # rbp-eval takes the ordering to be walked down first, and that is the estimate.
    assert close(tau_ap(a, b), their_tau_ap(b, a))
    assert close(tau_ap_b(a, b), (their_tau_ap(a, b) + their_tau_ap(b, a)) / 2)


@given(tied)
def test_tau_ap_is_the_mean_over_all_ways_to_break_ties(pair: tuple[list[int], list[int]]) -> None:
    every = [
        their_tau_ap(estimate, truth)
        for truth in breakings(pair[0])
        for estimate in breakings(pair[1])
    ]
    assert abs(tau_ap(of(*pair[0]), of(*pair[1])) - np.mean(every)) < 1e-12


def test_tau_ap_by_hand() -> None:
    # By the estimate: c a b d. Above a: c, wrong, 0/1. Above b: a alone is right, 1/2. d: all.
    truth, estimate = of(4, 3, 2, 1), of(3, 2, 4, 1)
    assert abs(tau_ap(truth, estimate) - (2 / 3 * (0 + 1 / 2 + 1) - 1)) < 1e-12
    # The other way round, a b c d are walked: a and b are right, c is above neither, d is right.
    assert abs(tau_ap(estimate, truth) - (2 / 3 * (1 + 0 / 2 + 1) - 1)) < 1e-12
    # One pair is tied in the estimate: half right on average, at the top where it weighs most.
    assert abs(tau_ap(of(3, 2, 1), of(2, 2, 1)) - (2 / 2 * (1 / 2 + 1) - 1)) < 1e-12


def test_tau_ap_b_by_hand() -> None:
    # Walk b: (x y) z. Only z has runs above its group, x and y; both are truly better: 1.
    # Walk a: x y z. Above y: x, but b ties them: 0 of 1. Above z: 2 of 2. 2 * 1/2 - 1 = 0.
    assert tau_ap_b(of(3, 2, 1), of(2, 2, 1)) == 0.5
    assert math.isnan(tau_ap_b(of(1, 1), of(1, 2)))


def test_rbo_by_hand() -> None:
    # Agreement at depths 1, 2, 3: 0, 1, 1, and 1 for ever after.
    swapped = rbo(of(3, 2, 1), of(2, 3, 1), p=0.8)
    assert abs(swapped - (0.2 * (0 + 0.8 + 0.64) + 0.8**3)) < 1e-12
    assert abs(rbo(of(3, 2, 1), of(1, 2, 3), p=0.5) - (0.5 * (0 + 0.5 / 2 + 0.25) + 0.125)) < 1e-12
    # Orders 1 2 3 4 5 and 2 3 4 1 5: agreement 0, 1/2, 2/3, 1, 1.
    longer = rbo(of(5, 4, 3, 2, 1), of(2, 5, 4, 3, 1), p=0.9)
    sums = 0.1 * (0.9 / 2 + 0.81 * 2 / 3 + 0.729 + 0.6561) + 0.59049
    assert abs(longer - sums) < 1e-12
    assert round(longer, 3) == 0.828
    # Two lead together in a. w: both are in at depth 1, 2 * 1 / (2 + 1).
    x, y = of(2, 2, 1), of(3, 2, 1)
    assert abs(rbo(x, y, p=0.5) - (0.5 * (2 / 3 + 0.5 + 0.25) + 0.125)) < 1e-12
    # a: each is first half of the time. b: 1/2 / sqrt(1/4 + 1/4).
    assert abs(rbo(x, y, p=0.5, ties="a") - (0.5 * (1 / 2 + 0.5 + 0.25) + 0.125)) < 1e-12
    assert abs(rbo(x, y, p=0.5, ties="b") - (0.5 * (0.5**0.5 + 0.5 + 0.25) + 0.125)) < 1e-12


@given(tied, st.floats(0.05, 0.95))
def test_rbo_a_is_the_mean_over_all_ways_to_break_ties(
    pair: tuple[list[int], list[int]], p: float
) -> None:
    every = [rbo(a, b, p) for a in breakings(pair[0]) for b in breakings(pair[1])]
    a, b = of(*pair[0]), of(*pair[1])
    assert abs(rbo(a, b, p, "a") - np.mean(every)) < 1e-12
    assert rbo(a, b, p, "a") <= rbo(a, b, p, "b") + 1e-12
    for ties in ("w", "b"):
        assert abs(rbo(a, a, p, ties) - 1) < 1e-12
    for ties in ("w", "a", "b"):
        assert abs(rbo(a, b, p, ties) - rbo(b, a, p, ties)) < 1e-12


@given(strict, st.floats(0.05, 0.95))
def test_rbo_without_ties_is_the_plain_sum(pair: tuple[list[int], list[int]], p: float) -> None:
    a, b = (sorted(range(len(each)), key=lambda run: -each[run]) for each in pair)
    total = 0.0
    for depth in range(1, 2000):
        shared = len(set(a[:depth]) & set(b[:depth])) / min(depth, len(a))
        total += (1 - p) * p ** (depth - 1) * shared
    assert abs(rbo(of(*pair[0]), of(*pair[1]), p) - total) < 1e-9


def test_drops_and_swaps_by_hand() -> None:
    a, b = of(0.9, 0.8, 0.7, 0.6), of(0.5, 0.8, 0.6, 0.6)
    assert ranks(b).tolist() == [4, 1, 2, 2]
    assert leader_drop(a, b) == 3
    assert largest_drop(a, b, k=2) == 3
    assert largest_drop(b, a, k=1) == 1
    assert swaps(a, b, k=1) == 3
    assert swaps(a, b, k=4) == 3
    assert kept(a, b, k=2) == 0.5


def test_every_statistic_is_there_and_perfect_for_the_same_order() -> None:
    found = orderings(of(3, 2, 1), of(30, 20, 10))
    perfect = {"runs": 3, "kendall_distance": 0, "leader_drop": 0, "largest_drop": 0, "swaps": 0}
    for name, value in found.items():
        assert abs(value - perfect.get(name, 1)) < 1e-12, name


@pytest.mark.parametrize(
    ("a", "b", "k", "message"),
    [
        (of(1), of(1), 1, "takes two runs, found 1"),
        (of(1, 2), of(1), 1, "of the same runs"),
        (of(1, 2), of(1, 2), 0, "at least 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    a: np.ndarray, b: np.ndarray, k: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        orderings(a, b, k=k)
