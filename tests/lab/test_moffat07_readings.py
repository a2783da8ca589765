"""The two readings of the paper, and the orders by their names in the tables."""

import numpy as np
import pytest

from leadline.judging.by_weight import MoffatB
from leadline.judging.order import DepthFirst, Random
from leadline.lab.papers.moffat07_plan import (
    METHODS,
    OTHERS,
    OURS,
    PAPER,
    DepthFirstByRun,
    order_of,
)


@pytest.mark.parametrize("name", [*METHODS, *OTHERS])
def test_every_name_stands_for_its_order(name: str) -> None:
    order = order_of(name, OURS, 0.7, np.random.default_rng(0))
    assert type(order).__name__ == name.partition("(")[0]
    assert getattr(order, "p", 0.7) == 0.7


def test_the_paper_refreshes_weights_and_pools_in_its_own_way() -> None:
    random = np.random.default_rng(0)
    assert order_of("MoffatB", PAPER, 0.8, random) == MoffatB(p=0.8, batch=250)
    assert order_of("MoffatB", OURS, 0.8, random) == MoffatB(p=0.8)
    assert isinstance(order_of("DepthFirst", PAPER, 0.8, random), DepthFirstByRun)
    assert order_of("DepthFirst", OURS, 0.8, random) == DepthFirst(p=0.8)


def test_a_random_order_is_drawn_by_the_cell() -> None:
    first, second = (order_of("Random", OURS, 0.8, np.random.default_rng(seed)) for seed in (0, 1))
    assert isinstance(first, Random)
    assert first != second
    assert first == order_of("Random", OURS, 0.8, np.random.default_rng(0))
