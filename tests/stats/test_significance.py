"""The tests of ranks, means and signs equal their plain twin, scipy's and rbp-eval's."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rbp_eval.stats import paired_sign_test_p, paired_t_test_p
from scipy import stats

from leadline.stats.significance import Sign, T, Tails, Wilcoxon, lasting_p
from tests.reference.scipy_names import ASYMPTOTIC
from tests.reference.significance import wilcoxon_one_tailed

RANDOM = np.random.default_rng(0)
SIDE = {1: "greater", 2: "two-sided"}

tables = st.integers(3, 14).flatmap(
    lambda n: st.tuples(*(arrays(np.float64, (3, n), elements=st.integers(0, 6).map(float)),) * 2)
)


def scipy_p(call: object, *arguments: object, **options: object) -> float:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return float(call(*arguments, **options).pvalue)  # type: ignore[operator]


def agree(ours: float, theirs: float) -> None:
    assert math.isnan(ours) if math.isnan(theirs) else abs(ours - theirs) < 1e-12


@pytest.mark.filterwarnings("ignore:Sample size too small")
@given(tables)
def test_wilcoxon_equals_the_twin_and_scipy(pair: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = pair
    raw = Wilcoxon(decimals=None)
    one, two = (raw.p(first - second, tails, RANDOM) for tails in (1, 2))
    for row in range(3):
        expected = wilcoxon_one_tailed(list(first[row]), list(second[row]))
        agree(one[row], expected)
        if math.isnan(expected):
            assert math.isnan(two[row])
            continue
        for tails, ours in ((1, one[row]), (2, two[row])):
            peer = scipy_p(
                stats.wilcoxon,
                first[row],
                second[row],
                alternative=SIDE[tails],
                correction=True,
                method=ASYMPTOTIC,
            )
            agree(ours, peer)


@given(tables, st.sampled_from([1, 2]))
def test_t_equals_scipy(pair: tuple[np.ndarray, np.ndarray], tails: Tails) -> None:
    first, second = pair
    ours = T().p(first - second, tails, RANDOM)
    for row in range(3):
        peer = scipy_p(stats.ttest_rel, first[row], second[row], alternative=SIDE[tails])
        if np.ptp(first[row] - second[row]) == 0 and not math.isnan(peer):
            assert ours[row] in (0.0, 1.0)
        else:
            agree(ours[row], peer)


@given(tables, st.sampled_from([1, 2]))
def test_sign_equals_scipy(pair: tuple[np.ndarray, np.ndarray], tails: Tails) -> None:
    difference = pair[0] - pair[1]
    ours = Sign().p(difference, tails, RANDOM)
    for row in range(3):
        above, below = int((difference[row] > 0).sum()), int((difference[row] < 0).sum())
        if above + below == 0:
            assert math.isnan(ours[row])
        else:
            agree(
                ours[row],
                stats.binomtest(above, above + below, alternative=SIDE[tails]).pvalue,
            )


@given(tables)
def test_one_tail_equals_rbp_eval(pair: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = pair
    difference = first - second
    sign, t = Sign().p(difference, 1, RANDOM), T().p(difference, 1, RANDOM)
    for row in range(3):
        if difference[row].any():
            agree(sign[row], paired_sign_test_p(first[row], second[row]))
        if np.ptp(difference[row]) > 0:
            agree(t[row], paired_t_test_p(first[row], second[row]))


@pytest.mark.filterwarnings("ignore:Sample size too small")
def test_decimals_make_ties_that_rounding_broke() -> None:
    difference = np.array([[0.3 - 0.2, 0.2 - 0.1, 0.3 - 0.4, 0.7 - 0.2]])
    raw = Wilcoxon(decimals=None).p(difference, 2, RANDOM)[0]
    rounded = Wilcoxon().p(difference, 2, RANDOM)[0]
    exact = stats.wilcoxon([1, 1, -1, 5], correction=True, method=ASYMPTOTIC).pvalue
    assert abs(rounded - exact) < 1e-12
    assert raw != rounded


@given(st.integers(0, 1000), st.integers(1, 12))
def test_p_that_lasts_never_rises_when_differences_grow(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    difference = random.integers(-4, 5, n) / 4
    grown = difference + random.integers(0, 3, n) / 4
    assert lasting_p(grown) <= lasting_p(difference)


@given(st.integers(0, 1000), st.integers(6, 30))
def test_without_ties_and_zeros_p_that_lasts_is_wilcoxons(seed: int, n: int) -> None:
    difference = np.random.default_rng(seed).normal(0.3, 1, n)
    expected = Wilcoxon().p(difference[None, :], 1, RANDOM)[0]
    assert lasting_p(difference) == pytest.approx(expected, abs=1e-12)
