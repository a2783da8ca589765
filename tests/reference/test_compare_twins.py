"""The reference tests and orderings against scipy, rbp-eval, published and hand-worked values."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rbp_eval.stats import tau_ap  # type: ignore[import-untyped, unused-ignore]
from scipy import stats  # type: ignore[import-untyped, unused-ignore]

from tests.reference.scipy_names import ASYMPTOTIC
from tests.tries import tries

from . import compare as c

pairs = st.integers(3, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 6).map(float), min_size=n, max_size=n),
        st.lists(st.integers(0, 6).map(float), min_size=n, max_size=n),
    )
)

Pair = tuple[list[float], list[float]]


def test_sign_test_by_hand() -> None:
    # Three wins, one loss, one draw.
    x, y = [1.0, 1.0, 1.0, 0.0, 5.0], [0.0, 0.0, 0.0, 1.0, 5.0]
    assert c.sign_test(x, y, 1) == pytest.approx((4 + 1) / 16)
    assert c.sign_test(x, y) == pytest.approx(10 / 16)
    assert c.sign_test(y, x, 1) == pytest.approx(15 / 16)
    assert c.sign_test([1.0, 0.0], [0.0, 1.0]) == 1
    assert math.isnan(c.sign_test(x, x))


@given(pairs)
@tries(15)
def test_sign_and_t_test_equal_scipy(pair: Pair) -> None:
    x, y = pair
    differences = [a - b for a, b in zip(x, y, strict=True)]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if wins + losses > 0:
        oracle = stats.binomtest(wins, wins + losses)
        assert c.sign_test(x, y) == pytest.approx(oracle.pvalue)
        oracle = stats.binomtest(wins, wins + losses, alternative="greater")
        assert c.sign_test(x, y, 1) == pytest.approx(oracle.pvalue)
    if len(set(differences)) > 1:
        assert c.t_test(x, y) == pytest.approx(stats.ttest_rel(x, y).pvalue)
        one = stats.ttest_rel(x, y, alternative="greater").pvalue
        assert c.t_test(x, y, 1) == pytest.approx(one)


@pytest.mark.filterwarnings("ignore:Sample size too small")
@given(pairs)
@tries(15)
def test_wilcoxon_equals_scipy(pair: Pair) -> None:
    x, y = pair
    if x == y:
        assert math.isnan(c.wilcoxon(x, y))
        assert math.isnan(c.wilcoxon_exact(x, y))
        return
    for tails, alternative in ((2, "two-sided"), (1, "greater")):
        oracle = stats.wilcoxon(
            x, y, correction=True, alternative=alternative, method=ASYMPTOTIC
        ).pvalue
        assert c.wilcoxon(x, y, tails) == pytest.approx(oracle)  # type: ignore[arg-type]
        differences = [a - b for a, b in zip(x, y, strict=True) if a != b]
        sizes = [abs(d) for d in differences]
        if len(set(sizes)) == len(sizes):
            exact = stats.wilcoxon(differences, alternative=alternative, method="exact").pvalue
            assert c.wilcoxon_exact(x, y, tails) == pytest.approx(exact)  # type: ignore[arg-type]


def test_randomisation_by_hand() -> None:
    # Sums of +-1 +-2 +-3: 6 and -6 once each of eight, 4 or more twice.
    x, y = [1.0, 2.0, 3.0], [0.0, 0.0, 0.0]
    assert c.randomisation_exact(x, y) == 2 / 8
    assert c.randomisation_exact(x, y, 1) == 1 / 8
    # 3 - 2 + 1 = 2: of 6, 4, 2, 0, 0, -2, -4, -6 three are as large, six as far from 0.
    assert c.randomisation_exact([3.0, 0.0, 1.0], [0.0, 2.0, 0.0], 1) == 3 / 8
    assert c.randomisation_exact([3.0, 0.0, 1.0], [0.0, 2.0, 0.0]) == 6 / 8
    assert c.randomisation_exact(x, x) == 1
    # 0.1 + 0.2 is not 0.3 in binary; the tie counts all the same.
    assert c.randomisation_exact([0.1, 0.2, 0.0], [0.0, 0.0, 0.3], 1) == 5 / 8


@given(pairs)
@tries(15)
def test_randomisation_equals_scipy(pair: Pair) -> None:
    x, y = pair

    def statistic(a: list[float], b: list[float]) -> float:
        return float(sum(a) - sum(b))

    for tails, alternative in ((2, "two-sided"), (1, "greater")):
        oracle = stats.permutation_test(
            (x, y),
            statistic,
            permutation_type="samples",
            alternative=alternative,
            n_resamples=math.inf,
        ).pvalue
        assert c.randomisation_exact(x, y, tails) == pytest.approx(oracle)  # type: ignore[arg-type]


def test_bootstrap_by_hand() -> None:
    # Differences 0 and 2, shifted to -1 and 1: means -1, 0, 0, 1 against an observed 1.
    x, y = [0.0, 2.0], [0.0, 0.0]
    assert c.bootstrap_exact(x, y) == 2 / 4
    assert c.bootstrap_exact(x, y, 1) == 1 / 4
    # By t: observed 1; the equal draws are infinite.
    assert c.bootstrap_exact(x, y, statistic="t") == 2 / 4
    assert c.bootstrap_exact(x, x) == 1
    assert c.bootstrap_exact(x, x, statistic="t") == 1
    assert c.bootstrap_means(x, y) == [0, 1, 1, 2]
    # All differences alike: no resample of zeros comes near.
    assert c.bootstrap_exact([1.0, 1.0], [0.0, 0.0]) == 0
    assert c.bootstrap_exact([1.0, 1.0], [0.0, 0.0], statistic="t") == 0


def test_corrections_by_hand() -> None:
    p = [0.04, 0.01, 0.03, 0.5]
    # Sorted .01 .03 .04 .5 times 4 3 2 1, never falling.
    assert c.holm(p) == pytest.approx([0.09, 0.04, 0.09, 0.5])
    # Times 4/1 4/2 4/3 4/4, never rising backwards.
    assert c.benjamini_hochberg(p) == pytest.approx([0.16 / 3, 0.04, 0.16 / 3, 0.5])
    assert c.holm([0.6, 0.7]) == [1, 1]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_benjamini_hochberg_equals_scipy(p: list[float]) -> None:
    assert c.benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p).tolist())
    for one, corrected in zip(p, c.holm(p), strict=True):
        assert min(1, one) <= corrected <= min(1, len(p) * one + 1e-15)


def test_tukey_by_hand() -> None:
    # Two runs, two topics: means differ by 1 or by 0, half the time each.
    p = c.tukey_exact([[1.0, 1.0], [0.0, 0.0]])
    assert p == {(0, 1): 1 / 2}
    # With two runs it is the randomisation test.
    x, y = [0.3, 0.9, 0.5], [0.1, 0.2, 0.6]
    assert c.tukey_exact([x, y])[0, 1] == pytest.approx(c.randomisation_exact(x, y))
    # With one topic every shuffling has the same range.
    assert set(c.tukey_exact([[2.0], [1.0], [0.0]]).values()) == {1}
    # Three runs, two topics: with the first topic held, six shufflings of the second give ranges
    # of 2 (once), 3/2 (twice), 1 (twice, 0 1 2 against 1 2 0 and 2 0 1) and 0 (once).
    p = c.tukey_exact([[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    assert p == pytest.approx({(0, 1): 5 / 6, (0, 2): 1 / 6, (1, 2): 5 / 6})


@given(pairs)
@tries(15)
def test_kendall_and_spearman_equal_scipy(pair: Pair) -> None:
    x, y = pair
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert math.isnan(c.kendall_tau_b(x, y))
        assert math.isnan(c.spearman(x, y))
        return
    assert c.kendall_tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)
    assert c.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    if len(set(x)) == len(x) and len(set(y)) == len(y):
        assert c.kendall_tau_a(x, y) == pytest.approx(c.kendall_tau_b(x, y))
        assert c.kendall_tau_a(x, y) == pytest.approx(1 - 2 * c.kendall_distance(x, y))


def test_kendall_with_ties_by_hand() -> None:
    # Pairs: one tied in x, one concordant, one discordant.
    assert c.kendall_tau_a([1, 1, 2], [1, 3, 2]) == 0
    assert c.kendall_tau_a([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / 3)
    assert c.kendall_tau_b([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(6))
    assert c.kendall_distance([1, 1, 2], [1, 3, 2]) == pytest.approx(1 / 3)


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_tau_ap_equals_rbp_eval(first: list[int], second: list[int]) -> None:
    true, estimated = [float(i) for i in first], [float(i) for i in second]
    value = c.tau_ap(true, estimated)
    assert value == pytest.approx(tau_ap(estimated, true))
    assert c.tau_ap_a(true, estimated) == pytest.approx(value)
    both = (value + c.tau_ap(estimated, true)) / 2
    assert c.tau_ap_b(true, estimated) == pytest.approx(both)


def test_tau_ap_by_hand() -> None:
    # Estimated order b a c of a true a b c: 0/1 + 2/2.
    true, estimated = [3.0, 2.0, 1.0], [2.0, 3.0, 1.0]
    assert c.tau_ap(true, estimated) == 0
    # A swap at the end costs less: 1/1 + 1/2.
    assert c.tau_ap(true, [3.0, 1.0, 2.0]) == pytest.approx(1 / 2)
    with pytest.raises(ValueError, match="ties"):
        c.tau_ap(true, [1.0, 1.0, 2.0])


def test_tau_ap_with_ties_by_hand() -> None:
    true, estimated = [3.0, 2.0, 1.0], [2.0, 2.0, 1.0]
    # Broken as a b c and as b a c: 1 and 0.
    assert c.tau_ap_a(true, estimated) == pytest.approx(1 / 2)
    # Down the estimated order only c has items above its group, both in agreement. Down the true
    # one, b ties with a in the other (0/1), c agrees with both (2/2).
    assert c.tau_ap_b_down(true, estimated) == 1
    assert c.tau_ap_b_down(estimated, true) == 0
    assert c.tau_ap_b(true, estimated) == pytest.approx(1 / 2)
    assert math.isnan(c.tau_ap_b(true, [1.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="without ties"):
        c.tau_ap_a(estimated, true)


def test_rbo_by_hand() -> None:
    p = 0.9
    assert c.rbo_ext(["a", "b"], ["a", "b"], p) == pytest.approx(1)
    assert c.rbo_ext(["a", "b"], ["c", "d"], p) == 0
    # Agreement 0 at depth 1, 1 at depth 2 and, extrapolated, from there on: all but 1 - p.
    assert c.rbo_ext(["a", "b"], ["b", "a"], p) == pytest.approx(p)
    # a against a b: at depth 1 all; at depth 2 X = 1 and a's own agreement, 1, of the rest: 1.
    assert c.rbo_ext(["a"], ["a", "b"], p) == pytest.approx(1)
    assert c.rbo_ext(["a", "b"], ["a"], p) == pytest.approx(1)
    # a against b a: at depth 1 none; at depth 2 one of two, and so on.
    assert c.rbo_ext(["a"], ["b", "a"], p) == pytest.approx((1 - p) * p / 2 + p**2 / 2)


def test_rbo_with_ties_by_hand() -> None:
    p = 0.9
    assert c.rbo_ext_of_scores([2.0, 1.0], [1.0, 2.0], p) == pytest.approx(p)
    # {a b} c against a b c: 2/3 at depth 1, then 1 and 1.
    value = c.rbo_ext_of_scores([2.0, 2.0, 1.0], [3.0, 2.0, 1.0], p)
    assert value == pytest.approx((1 - p) * 2 / 3 + p)
    assert c.rbo_ext_of_scores([1.0, 1.0], [1.0, 1.0], p) == pytest.approx(1)
    # Broken as a b or b a: 1 and p.
    broken = c.rbo_ext_of_broken_ties([2.0, 2.0, 1.0], [3.0, 2.0, 1.0], p)
    assert broken == pytest.approx((1 + p) / 2)


@given(st.permutations(range(5)), st.permutations(range(5)), st.sampled_from([0.5, 0.9]))
def test_the_two_forms_of_rbo_agree_without_ties(
    first: list[int], second: list[int], p: float
) -> None:
    x, y = [float(i) for i in first], [float(i) for i in second]
    orders = [sorted("abcde", key=lambda item: -s["abcde".index(item)]) for s in (x, y)]
    value = c.rbo_ext(orders[0], orders[1], p)
    assert c.rbo_ext_of_scores(x, y, p) == pytest.approx(value)
    assert c.rbo_ext_of_broken_ties(x, y, p) == pytest.approx(value)


def test_random_draws_come_near_the_exact_distributions() -> None:
    # What a sampling implementation does, against the enumerations.
    rng = random.Random(5)
    x, y = [0.4, 0.9, 0.3, 0.8, 0.5], [0.3, 0.5, 0.4, 0.6, 0.2]
    d = [a - b for a, b in zip(x, y, strict=True)]
    n = 20000
    flips = [sum(rng.choice((1, -1)) * v for v in d) for _ in range(n)]
    hits = sum(abs(flip) >= abs(sum(d)) - 1e-12 for flip in flips) / n
    assert c.randomisation_exact(x, y) == pytest.approx(hits, abs=0.015)
    centre = sum(d) / 5
    draws = [sum(rng.choices(d, k=5)) / 5 - centre for _ in range(n)]
    hits = sum(abs(draw) >= abs(centre) - 1e-12 for draw in draws) / n
    assert c.bootstrap_exact(x, y) == pytest.approx(hits, abs=0.015)
    rows = [x[:3], y[:3], [0.1, 0.6, 0.7]]
    columns = list(zip(*rows, strict=True))
    ranges = []
    for _ in range(n):
        shuffled = [rng.sample(column, 3) for column in columns]
        means = [sum(values) / 3 for values in zip(*shuffled, strict=True)]
        ranges.append(max(means) - min(means))
    for (i, j), p in c.tukey_exact(rows).items():
        difference = abs(sum(rows[i]) - sum(rows[j])) / 3
        hits = sum(r >= difference - 1e-12 for r in ranges) / n
        assert p == pytest.approx(hits, abs=0.015)
