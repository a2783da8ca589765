"""Rank correlations against scipy, rbp-eval, hand-worked examples and all tie breaks."""

import math

import numpy as np
from hypothesis import given
from rbp_eval.stats import kendall_tau as their_kendall
from rbp_eval.stats import tau_ap as their_tau_ap
from scipy import stats

from leadline.stats.correlation import kendall, spearman, tau_ap, tau_ap_b
from tests.stats.orderings import breakings, of, strict, tied


def close(ours: float, theirs: float) -> bool:
    return math.isnan(ours) if math.isnan(theirs) else abs(ours - theirs) < 1e-12


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


def test_one_run_is_in_no_order() -> None:
    one = of(1)
    assert all(math.isnan(each(one, one)) for each in (kendall, spearman, tau_ap, tau_ap_b))
