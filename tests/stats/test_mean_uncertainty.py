"""Topic sampling and unjudged documents together, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from leadline.completions.bounds import TopicDifferences
from leadline.stats.mean_uncertainty import TopicVariance, WorstCompletion
from leadline.stats.power import topic_interval
from tests.reference.gate import of_draws, p_above
from tests.tries import tries

NUMBERS = st.floats(-1, 1).map(lambda x: round(x, 4))


@given(
    st.integers(2, 5).flatmap(
        lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=2, max_size=6)
    )
)
@tries(20)
def test_draws_add_up_as_in_plain_loops(drawn: list[list[float]]) -> None:
    table = np.array(drawn)
    if (table.std(axis=1) < 1e-9).any():
        return
    found = TopicVariance.of_draws(table)
    assert (found.centre, found.error, found.freedom) == pytest.approx(of_draws(drawn))


def test_draws_that_agree_leave_the_t_interval() -> None:
    difference = np.array([0.1, 0.3, -0.2, 0.4])
    drawn = np.tile(difference, (5, 1))
    ends = topic_interval(difference[None, :], 0.05)
    found = TopicVariance.of_draws(drawn).interval(0.95)
    assert found == pytest.approx([float(end[0]) for end in ends])
    assert TopicVariance.of(difference).interval(0.95) == pytest.approx(found)


def test_p_is_that_of_the_t_test() -> None:
    difference = np.array([0.1, 0.3, -0.2, 0.4, np.nan])
    chance = TopicVariance.of(difference)
    known = difference[:4].tolist()
    assert chance.p_above(0.05) == pytest.approx(p_above(known, 0.05))
    assert chance.p_below(0.05) == pytest.approx(1 - p_above(known, 0.05))
    assert stats.ttest_1samp(known, 0.05, alternative="greater").pvalue == pytest.approx(
        chance.p_above(0.05)
    )


def test_equal_differences_and_single_topics() -> None:
    same = TopicVariance.of(np.array([0.2, 0.2, 0.2]))
    assert (same.p_above(0.1), same.p_above(0.3), same.p_above(0.2)) == (0.0, 1.0, 1.0)
    one = TopicVariance.of(np.array([0.2]))
    assert np.isnan(one.interval(0.95)).all()
    assert np.isnan(one.p_above(0.0))
    assert np.isnan(TopicVariance.of_draws(np.array([[0.1], [0.2]])).p_above(0.0))


def test_without_anything_unjudged_the_worst_completion_is_the_t_test() -> None:
    value = np.array([0.1, 0.3, -0.2, 0.4])
    worst = WorstCompletion(TopicDifferences(value, value, value))
    assert worst.interval(0.9) == pytest.approx(TopicVariance.of(value).interval(0.9))
    assert worst.p_above(0.0) == pytest.approx(TopicVariance.of(value).p_above(0.0))
    assert worst.p_below(0.3) == pytest.approx(TopicVariance.of(value).p_below(0.3))
