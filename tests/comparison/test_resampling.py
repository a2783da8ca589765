"""Randomisation, bootstrap and Tukey against every assignment, draw and dealing that there is."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leadline.comparison.bootstrap import Bootstrap
from leadline.comparison.hypothesis_test import Tails, tests
from leadline.comparison.randomisation import Randomisation
from leadline.comparison.tukey import Tukey

whole = st.lists(st.integers(-6, 6), min_size=1, max_size=7)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(whole, st.sampled_from([1, 2]))
def test_few_topics_are_exact(values: list[int], tails: Tails) -> None:
    ours = Randomisation().p(np.array([values], np.float64) / 10, tails, random())[0]
    if not any(values):
        assert math.isnan(ours)
        return
    seen = sum(values) if tails == 1 else abs(sum(values))
    found = 0
    for signs in itertools.product((1, -1), repeat=len(values)):
        total = sum(sign * value for sign, value in zip(signs, values, strict=True))
        found += (total if tails == 1 else abs(total)) >= seen
    assert abs(ours - found / 2 ** len(values)) < 1e-12


def test_twelve_topics_are_exact_and_equal_scipy() -> None:
    difference = random(5).normal(0.3, 1.0, (4, 12))
    for tails, side in ((1, "greater"), (2, "two-sided")):
        ours = Randomisation(n=10).p(difference, tails, random())
        for row, p in zip(difference, ours, strict=True):
            peer = stats.permutation_test(
                (row, np.zeros(12)),
                lambda x, y, axis: np.mean(x - y, axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=np.inf,
                alternative=side,
            )
            assert abs(p - peer.pvalue) < 1e-12


def test_only_topics_that_differ_count_for_being_few() -> None:
    few = random(1).normal(0.2, 1.0, 11)
    many = np.concatenate([few, np.zeros(40)])
    ours = [Randomisation(n=5).p(row[None, :], 2, random())[0] for row in (few, many)]
    assert ours[0] == ours[1]


def test_draws_come_close_to_the_exact_p() -> None:
    difference = random(2).normal(0.15, 1.0, (3, 16))
    every = np.array(list(itertools.product((1.0, -1.0), repeat=16))).T
    exact = (np.abs(difference @ every) >= np.abs(difference.sum(axis=1))[:, None] - 1e-9).mean(1)
    ours = Randomisation(n=200_000).p(difference, 2, random())
    assert np.abs(ours - exact).max() < 0.005


def test_a_pair_has_the_same_p_in_any_company() -> None:
    difference = random(4).normal(0.2, 1.0, (600, 30))
    for made in (Randomisation(n=2000), Bootstrap(n=2000)):
        together = made.p(difference, 2, random(7))
        alone = np.concatenate([made.p(difference[[at]], 2, random(7)) for at in (0, 311, 599)])
        assert (together[[0, 311, 599]] == alone).all()


def test_p_is_never_0() -> None:
    far = np.full((1, 40), 0.5) + random().normal(0, 0.01, (1, 40))
    assert Randomisation(n=999).p(far, 2, random())[0] == 0.001
    assert Bootstrap(n=999).p(far, 2, random())[0] == 0.001


@pytest.mark.parametrize("tails", [1, 2])
@pytest.mark.parametrize("values", [(0.1, 0.5, 0.2, 0.7), (0.3, -0.1, 0.2, 0.1), (-1.0, 2.0, 4.0)])
def test_bootstrap_comes_close_to_all_draws(values: tuple[float, ...], tails: Tails) -> None:
    n = len(values)
    mean = sum(values) / n

    def t(sample: tuple[float, ...]) -> float:
        middle = sum(sample) / n
        spread = math.sqrt(sum((x - middle) ** 2 for x in sample) / (n - 1))
        if spread < 1e-9:
            return 0.0 if abs(middle) < 1e-9 else math.copysign(math.inf, middle)
        return middle * math.sqrt(n) / spread

    seen = t(values)
    as_far = 0
    for draw in itertools.product([value - mean for value in values], repeat=n):
        drawn = t(draw)
        size, bound = (drawn, seen) if tails == 1 else (abs(drawn), abs(seen))
        as_far += size >= bound - 1e-9
    ours = Bootstrap(n=100_000).p(np.array([values]), tails, random(3))[0]
    assert abs(ours - as_far / n**n) < 0.007


@pytest.mark.parametrize("name", ["wilcoxon", "t", "randomisation(n=800)"])
def test_without_a_difference_one_in_twenty_is_significant(name: str) -> None:
    difference = random(9).normal(size=(6000, 25))
    p = tests.parse(name).p(difference, 2, random())
    assert 0.042 < (p < 0.05).mean() < 0.058


def test_tukey_keeps_false_alarms_of_all_pairs_at_the_level() -> None:
    source = random(10)
    first, second = np.triu_indices(5, 1)
    alarms = 0
    for _ in range(300):
        scores = source.beta(1, 2, (5, 12)) + source.normal(0, 0.3, 12)
        p = Tukey(n=150).between(scores, scores, first, second, 2, source)
        alarms += bool((p < 0.05).any())
    assert 4 <= alarms <= 30


def test_tukey_comes_close_to_all_dealings() -> None:
    scores = np.array([[0.9, 0.5, 0.7], [0.2, 0.4, 0.1], [0.3, 0.1, 0.6]])
    first, second = np.triu_indices(3, 1)
    ranges = []
    for dealing in itertools.product(itertools.permutations(range(3)), repeat=3):
        dealt = np.array([scores[list(order), topic] for topic, order in enumerate(dealing)])
        means = dealt.mean(axis=0)
        ranges.append(means.max() - means.min())
    apart = np.abs(scores.mean(axis=1)[first] - scores.mean(axis=1)[second])
    exact = (np.array(ranges)[:, None] >= apart - 1e-9).mean(axis=0)
    ours = Tukey(n=50_000).between(scores, scores, first, second, 2, random())
    assert np.abs(ours - exact).max() < 0.01


def test_tukey_of_two_runs_is_the_randomisation_test() -> None:
    scores = random(6).uniform(size=(2, 10))
    pair = np.array([0]), np.array([1])
    tukey = Tukey(n=100_000).between(scores, scores, *pair, 2, random())[0]
    exact = Randomisation().p(scores[[0]] - scores[[1]], 2, random())[0]
    assert abs(tukey - exact) < 0.006


def test_tukey_counts_only_topics_of_all_runs() -> None:
    scores = random(8).uniform(size=(4, 12))
    gaps = np.insert(scores, 5, np.nan, axis=1)
    gaps[1:, 5] = 0.5
    first, second = np.triu_indices(4, 1)
    made = Tukey(n=500)
    whole_p = made.between(scores, scores, first, second, 2, random(1))
    assert (whole_p == made.between(gaps, gaps, first, second, 2, random(1))).all()


def test_tukey_refuses_what_it_cannot_do() -> None:
    scores = np.ones((2, 3))
    pair = np.array([0]), np.array([1])
    with pytest.raises(ValueError, match="two tails, not 1"):
        Tukey().between(scores, scores, *pair, 1, random())
    with pytest.raises(ValueError, match="one score for each run"):
        Tukey().between(scores, scores + 1, *pair, 2, random())


@pytest.mark.parametrize("kind", [Randomisation, Bootstrap, Tukey])
def test_the_number_of_draws_must_make_sense(kind: type) -> None:
    for n in (0, -3, 10_000_001):
        with pytest.raises(ValueError, match="number of draws"):
            kind(n=n)
