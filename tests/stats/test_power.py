"""What it would take to be sure of a difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leadline.completions.bounds import joint_intervals, open_entries
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.measures.measure import Weighted, parse_measure
from leadline.stats.power import JudgmentsNeeded, effect_size, topic_interval, topics_needed
from leadline.stats.significance import Tails
from tests.collections import Small, small_collections


def power(effect: float, n: int, level: float, tails: int) -> float:
    bound = stats.t.ppf(1 - level / tails, n - 1)
    return float(stats.nct.sf(bound, n - 1, effect * np.sqrt(n)))


@pytest.mark.parametrize("effect", [3.0, 1.0, 0.5, 0.31, 0.2, 0.05])
@pytest.mark.parametrize(("level", "tails"), [(0.05, 2), (0.05, 1), (0.01, 2)])
def test_so_many_topics_reach_the_power_and_one_less_does_not(
    effect: float, level: float, tails: Tails
) -> None:
    n = int(topics_needed(np.array([effect]), level, tails)[0])
    assert power(effect, n, level, tails) >= 0.8
    assert n == 2 or power(effect, n - 1, level, tails) < 0.8


def test_tiny_effects_take_many_topics_and_none_takes_none() -> None:
    found = topics_needed(np.array([0.001, 0.0, np.nan, 1e4]), 0.05, 2)
    assert 7_840_000 < found[0] < 7_860_000
    assert np.isnan(found[1:3]).all()
    assert found[3] == 2


def test_the_interval_over_topics_is_students() -> None:
    difference = np.random.default_rng(0).normal(0.2, 1.0, (2, 20))
    low, high = topic_interval(difference, 0.05)
    for row in range(2):
        peer = stats.ttest_1samp(difference[row], 0.0).confidence_interval(0.95)
        assert np.allclose((low[row], high[row]), (peer.low, peer.high))
    assert np.allclose(effect_size(difference), difference.mean(1) / difference.std(1, ddof=1))


@given(small_collections(n_docs=7, n_runs=2, n_topics=2, max_grade=1), st.floats(0, 1))
def test_judging_so_many_as_expected_makes_the_sign_certain(small: Small, rate: float) -> None:
    if len(small.runs) < 2:
        return
    runs, judgments = small.tables()
    measure = parse_measure("RBP(p=0.6)@5")
    assert isinstance(measure, Weighted)
    n_topics = len(runs.pairs.topics)
    mean = measure.score(Lists.of(runs, judgments)).mean()
    entries = open_entries(runs, judgments, measure)
    needed = JudgmentsNeeded(entries, 1.0, n_topics, 2)
    found = needed.certain(0, 1, mean[0] - mean[1], rate)
    # The plain way: judge one after the other, each worth the rate, and look after each.
    weight = {}
    for pair, run, w in zip(entries.pair, entries.run, entries.weight, strict=True):
        weight[pair] = weight.get(pair, 0.0) + (w if run == 0 else -w) / n_topics
    order = sorted((w for w in weight.values() if w), key=lambda w: -abs(w))
    expected = None
    for k in range(len(order) + 1):
        now = mean[0] - mean[1] + rate * sum(order[:k])
        low = now - sum(-w for w in order[k:] if w < 0)
        high = now + sum(w for w in order[k:] if w > 0)
        if min(abs(low), abs(high)) < 1e-9 and k < len(order):
            return  # Too close to call for sums in another order.
        if low > 1e-12 or high < -1e-12:
            expected = k
            break
    if expected is None:
        assert np.isnan(found) or found == len(order)
    else:
        assert found == expected


def test_none_are_needed_where_the_sign_is_certain_and_some_where_not() -> None:
    lists = {"a": {"1": ["x", "y"]}, "b": {"1": ["z", "y"]}}
    measure = parse_measure("RBP(p=0.5)")
    assert isinstance(measure, Weighted)
    for grades, expected in (({"x": 1, "z": 0}, 0), ({"x": 1}, 1)):
        runs, judgments = Small(lists, {"1": grades}, 1).tables()
        assert isinstance(judgments, Judgments)
        scores = measure.score(Lists.of(runs, judgments))
        needed = JudgmentsNeeded(open_entries(runs, judgments, measure), 1.0, 1, 2)
        assert needed.certain(0, 1, float(np.subtract(*scores.mean())), 0.0) == expected
        assert joint_intervals(runs, judgments, measure, scores).certain[0, 1] == (expected == 0)
