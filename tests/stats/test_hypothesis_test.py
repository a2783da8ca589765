"""What every test promises, whichever it is."""

import math

import numpy as np
import pytest

from leadline.stats.significance import DEFAULT_TEST, Tails, Test, Wilcoxon, tests

RANDOM = np.random.default_rng(0)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", sorted(tests.classes()))
@pytest.mark.parametrize("tails", [1, 2])
def test_topics_that_do_not_count_change_nothing(name: str, tails: Tails) -> None:
    if (name, tails) == ("tukey", 1):
        return
    made: Test = tests.parse(name)
    difference = np.random.default_rng(3).normal(0.3, 1.0, (1, 9))
    with_gap = np.insert(difference, 4, np.nan, axis=1)
    p = made.p(difference, tails, np.random.default_rng(1))
    gap = made.p(with_gap, tails, np.random.default_rng(1))
    # Tukey's draw depends on the number of topics, and the gap is gone before it.
    assert abs(p[0] - gap[0]) < 1e-12
    assert 0 < p[0] <= 1


@pytest.mark.parametrize("name", sorted(tests.classes()))
def test_where_nothing_differs_nothing_is_said(name: str) -> None:
    made: Test = tests.parse(name)
    for difference in (np.zeros((2, 5)), np.full((2, 5), np.nan), np.zeros((2, 1))):
        assert np.isnan(made.p(difference, 2, np.random.default_rng(0))).all()


def test_of_one_topic_only_tests_of_order_speak() -> None:
    one = np.array([[0.4]])
    found = {name: tests.parse(name).p(one, 2, RANDOM)[0] for name in tests.classes()}
    assert math.isnan(found["t"])
    assert math.isnan(found["bootstrap"])
    assert found["sign"] == found["randomisation"] == 1.0


def test_names_are_in_lower_case_and_go_there_and_back() -> None:
    for text in ("wilcoxon", "t", "sign", "randomisation", "bootstrap(n=500)", "tukey"):
        assert str(tests.parse(text)) == text
    assert tests.parse("Wilcoxon") == Wilcoxon()


@pytest.mark.parametrize("name", ["wilcoxon", "t", "randomisation(n=800)"])
def test_without_a_difference_one_in_twenty_is_significant(name: str) -> None:
    difference = random(9).normal(size=(6000, 25))
    p = tests.parse(name).p(difference, 2, random())
    assert 0.042 < (p < 0.05).mean() < 0.058


@pytest.mark.parametrize("name", sorted(tests.classes()))
def test_every_test_says_what_it_tests(name: str) -> None:
    assert tests.parse(name).null


def test_the_usual_test_is_about_means() -> None:
    assert tests.parse(DEFAULT_TEST).by_mean
    assert "mean" in tests.parse(DEFAULT_TEST).null


def test_between_sets_rows_of_two_tables_against_each_other() -> None:
    mine, theirs = random(1).uniform(size=(2, 3, 8))
    first, second = np.array([0, 2]), np.array([1, 0])
    test = tests.parse("t")
    found = test.between(mine, theirs, first, second, 1, random())
    expected = [test.p(mine[[a]] - theirs[[b]], 1, random())[0] for a, b in ((0, 1), (2, 0))]
    assert found.tolist() == expected
