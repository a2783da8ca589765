"""Tukey's test against every dealing that there is."""

import itertools

import numpy as np
import pytest

from leadline.stats import significance as tukey
from leadline.stats.significance import Randomisation, Tukey


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


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


def test_runs_with_the_same_scores_have_no_p_and_blocks_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = random(3).uniform(size=(3, 6))
    scores[2] = scores[0]
    first, second = np.triu_indices(3, 1)
    whole = Tukey(n=200).between(scores, scores, first, second, 2, random())
    assert np.isnan(whole).tolist() == [False, True, False]
    monkeypatch.setattr(tukey, "CELLS", 40)
    parts = Tukey(n=200).between(scores, scores, first, second, 2, random())
    np.testing.assert_array_equal(whole, parts)


@pytest.mark.parametrize("n", [0, -3, 10_000_001])
def test_the_number_of_draws_must_make_sense(n: int) -> None:
    with pytest.raises(ValueError, match="number of draws"):
        Tukey(n=n)
