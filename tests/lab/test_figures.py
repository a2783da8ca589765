"""Figures are what their names say: checked by plain loops and by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.arrays import Floats
from leadline.lab.benchmark.question import FIGURES, Reply, Truth, figures

SCORE = st.integers(0, 8).map(lambda eighth: eighth / 8)


def plain_regret(told: list[float], true: list[float], k: int) -> float:
    """The mean over all ways to name k runs, none of which has a better one left out."""
    ways = [
        named
        for named in itertools.combinations(range(len(told)), k)
        if all(told[o] <= told[n] for n in named for o in range(len(told)) if o not in named)
    ]
    best = sum(sorted(true)[-k:])
    return float(np.mean([(best - sum(true[run] for run in named)) / k for named in ways]))


@given(st.lists(st.tuples(SCORE, SCORE), min_size=5, max_size=7))
def test_regret_is_the_mean_over_all_ways_to_name_runs(pairs: list[tuple[float, float]]) -> None:
    told, true = ([each[side] for each in pairs] for side in (0, 1))
    found = figures(Reply(np.array(told)), Truth(np.array(true), np.array(true)[:, None]))
    assert found["regret"] == pytest.approx(plain_regret(told, true, 1))
    assert found["regret_five"] == pytest.approx(plain_regret(told, true, 5))


@given(st.lists(st.tuples(SCORE, SCORE), min_size=2, max_size=6))
def test_errors_are_those_of_plain_loops(pairs: list[tuple[float, float]]) -> None:
    off = [told - true for told, true in pairs]
    told, true = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    found = figures(Reply(told), Truth(true, true[:, None]))
    assert found["rmse"] == pytest.approx((sum(each**2 for each in off) / len(off)) ** 0.5)
    assert found["bias"] == pytest.approx(sum(off) / len(off))
    gaps = [a - b for a, b in itertools.combinations(off, 2)]
    assert found["gap_rmse"] == pytest.approx((sum(g**2 for g in gaps) / len(gaps)) ** 0.5)


def of(answer: Reply, by_topic: Floats) -> dict[str, float | None]:
    return figures(answer, Truth(by_topic.mean(axis=1), by_topic))


def test_who_tells_nothing_has_no_figure_for_it() -> None:
    found = of(Reply(np.array([0.5, 0.4])), np.array([[0.5, 0.3], [0.2, 0.6]]))
    assert tuple(found) == FIGURES
    for name in ("coverage", "width", "gap_coverage", "list_rmse", "significance_kept", "tau"):
        assert found[name] is None


def test_intervals_of_means_and_of_differences() -> None:
    true = np.array([[0.4, 0.6], [0.1, 0.3], [0.0, 0.2]])
    value = np.array([0.5, 0.3, 0.1])
    margin = np.array([[0, 0.05, 0.2], [0.05, 0, 0.2], [0.2, 0.2, 0]])
    found = of(Reply(value, value - 0.05, value + 0.05, margin), true)
    # Means 0.5, 0.2, 0.1: the second is 0.1 off; so are its two differences, one held by 0.2.
    assert found["coverage"] == pytest.approx(2 / 3)
    assert found["width"] == pytest.approx(0.1)
    assert found["gap_coverage"] == pytest.approx(2 / 3)


def test_significance_is_kept_where_a_test_says_the_same() -> None:
    random = np.random.default_rng(0)
    noise = random.normal(0, 0.01, (3, 12))
    true = np.array([[0.6], [0.4], [0.4]]) + noise
    assert of(Reply(true.mean(axis=1), by_topic=true), true)["significance_kept"] == 1
    # Whoever has all alike misses two of three verdicts.
    flat = np.full((3, 12), 0.4) + noise
    assert of(Reply(flat.mean(axis=1), by_topic=flat), true)["significance_kept"] == (
        pytest.approx(1 / 3)
    )


def test_lists_that_are_undefined_do_not_count() -> None:
    true = np.array([[0.5, np.nan], [0.1, np.nan]])
    told = np.array([[0.7, np.nan], [0.1, np.nan]])
    found = figures(Reply(told[:, 0], by_topic=told), Truth(true[:, 0], true))
    assert found["list_rmse"] == pytest.approx((0.04 / 2) ** 0.5)
    assert found["list_bias"] == pytest.approx(0.1)
