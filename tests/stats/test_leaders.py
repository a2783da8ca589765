"""Leaders: who falls, who is kept, who changes places."""

from hypothesis import given

from leadline.stats.correlation import kept, largest_drop, leader_drop, ranks, swaps
from tests.stats.orderings import of, tied


def test_drops_and_swaps_by_hand() -> None:
    a, b = of(0.9, 0.8, 0.7, 0.6), of(0.5, 0.8, 0.6, 0.6)
    assert ranks(b).tolist() == [4, 1, 2, 2]
    assert leader_drop(a, b) == 3
    assert largest_drop(a, b, k=2) == 3
    assert largest_drop(b, a, k=1) == 1
    assert swaps(a, b, k=1) == 3
    assert swaps(a, b, k=4) == 3
    assert kept(a, b, k=2) == 0.5


def test_of_several_best_the_one_that_falls_least_counts() -> None:
    assert leader_drop(of(2, 2, 1), of(1, 3, 2)) == 0
    assert ranks(of(2, 2, 1)).tolist() == [1, 1, 3]


@given(tied)
def test_the_same_order_loses_nothing_and_scaling_changes_nothing(
    pair: tuple[list[int], list[int]],
) -> None:
    a, b = of(*pair[0]), of(*pair[1])
    for k in (1, 2, 9):
        assert (largest_drop(a, a, k), swaps(a, a, k), kept(a, a, k)) == (0, 0, 1.0)
        for statistic in (largest_drop, swaps, kept):
            assert statistic(a, b, k) == statistic(3 * a + 1, b, k)
    # All pairs are counted if everybody leads, and then both ways round are alike.
    assert swaps(a, b, 9) == swaps(b, a, 9)


def test_the_noise_of_a_solver_is_no_difference() -> None:
    truth = of(1.0 + 3e-11, 1.0 - 2e-11, 0.5)
    assert ranks(truth).tolist() == [1, 1, 3]
    assert leader_drop(of(0.2, 0.6, 0.2), truth) == 0
