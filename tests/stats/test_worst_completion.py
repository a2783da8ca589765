"""The worst completion is the worst: against every corner of the intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.bounds import TopicDifferences
from leadline.stats.mean_uncertainty import WorstCompletion, least_statistic
from tests.reference.gate import corners, lower_end, p_above
from tests.tries import tries

ENDS = st.floats(-1, 1).map(lambda x: round(x, 3))


@st.composite
def boxes(draw: st.DrawFn) -> tuple[TopicDifferences, list[tuple[float, float]], list[bool]]:
    """Intervals of two to six topics, some of them undefined; widths from none to large."""
    n = draw(st.integers(2, 6))
    ends = [tuple(sorted((draw(ENDS), draw(ENDS)))) for _ in range(n)]
    optional = [at > 1 and draw(st.booleans()) for at in range(n)]
    low, high = (np.array([end[side] for end in ends]) for side in (0, 1))
    value = np.where(optional, np.nan, (low + high) / 2)
    return TopicDifferences(value, low, high), ends, optional  # type: ignore[return-value]


@given(boxes(), st.sampled_from([0.8, 0.95]))
@tries(40)
def test_the_interval_holds_that_of_every_corner(box: object, confidence: float) -> None:
    differences, ends, optional = box  # type: ignore[misc]
    lower, upper = WorstCompletion(differences).interval(confidence)
    plain = [lower_end(values, confidence) for values in corners(ends, optional)]
    turned = [lower_end([-each for each in v], confidence) for v in corners(ends, optional)]
    assert lower == pytest.approx(min(plain), abs=1e-9)
    assert upper == pytest.approx(-min(turned), abs=1e-9)


@given(boxes(), st.sampled_from([-0.1, 0.0, 0.3]))
@tries(40)
def test_p_is_the_largest_of_all_corners(box: object, bound: float) -> None:
    differences, ends, optional = box  # type: ignore[misc]
    plain = max(p_above(values, bound) for values in corners(ends, optional))
    assert WorstCompletion(differences).p_above(bound) == pytest.approx(plain, abs=1e-9)


def test_a_far_outlier_is_worse_at_its_upper_end() -> None:
    # At 0 all are equal and the lower end is 0; at 5 the spread takes it far below.
    low, high = np.zeros(4), np.array([0.0, 0.0, 0.0, 5.0])
    lower, _ = WorstCompletion(TopicDifferences(low, low, high)).interval(0.95)
    assert lower == pytest.approx(lower_end([0.0, 0.0, 0.0, 5.0], 0.95))
    assert lower < -2


def test_nothing_known_is_nan() -> None:
    none = np.full(2, np.nan)
    assert np.isnan(least_statistic(TopicDifferences(none, none, none), lambda n, mean, sd: mean))
    some = np.array([0.1, 0.2])
    unbounded = TopicDifferences(some, none, none)
    assert np.isnan(least_statistic(unbounded, lambda n, mean, sd: mean))
