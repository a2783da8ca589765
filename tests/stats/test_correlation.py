"""All statistics of two orderings together."""

import numpy as np
import pytest

from leadline.stats.correlation import orderings


def of(*values: float) -> np.ndarray:
    return np.array(values, np.float64)


def test_every_statistic_is_there_and_perfect_for_the_same_order() -> None:
    found = orderings(of(3, 2, 1), of(30, 20, 10))
    perfect = {"runs": 3, "kendall_distance": 0, "leader_drop": 0, "largest_drop": 0, "swaps": 0}
    for name, value in found.items():
        assert abs(value - perfect.get(name, 1)) < 1e-12, name


@pytest.mark.parametrize(
    ("a", "b", "k", "message"),
    [
        (of(1), of(1), 1, "takes two runs, found 1"),
        (of(1, 2), of(1), 1, "of the same runs"),
        (of(1, 2), of(1, 2), 0, "at least 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    a: np.ndarray, b: np.ndarray, k: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        orderings(a, b, k=k)
