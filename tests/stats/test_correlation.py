"""All statistics of two orderings together."""

import numpy as np
import pytest

from leadline.stats.correlation import distance, kendall_distance, new_topics, orderings


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


def test_what_new_topics_give_is_what_they_give_in_simulation() -> None:
    """Runs with known means: two samples of topics lie as far apart as expected from one."""
    random = np.random.default_rng(4)
    mean = random.normal(0, 0.06, 20)
    actual, expected = [], []
    for _ in range(60):
        hard = random.normal(0, 0.1, 40)
        one, two = (mean[:, None] + hard + random.normal(0, 0.15, (20, 40)) for _ in range(2))
        actual.append((kendall_distance(one.mean(axis=1), two.mean(axis=1)), distance(one, two)))
        expected.append(new_topics(one))
    ratio = np.mean(expected, axis=0) / np.mean(actual, axis=0)
    assert (ratio > 0.85).all()
    assert (ratio < 1.1).all()


def test_runs_that_are_the_same_everywhere_stay_so_on_new_topics() -> None:
    same = np.tile([0.2, 0.6, 0.5], (2, 1))
    assert new_topics(same) == (0.0, 0.0)
    assert new_topics(same[:1]) == (0.0, 0.0)
    # A run that is better by the same on every topic stays better.
    tau, dist = new_topics(np.stack([same[0], same[0] + 0.1]))
    assert tau == 0.0
    assert dist == pytest.approx(0.0)
