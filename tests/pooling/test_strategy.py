"""Every pool strategy is a list of strata, from the top of the lists down."""

import pytest

from leadline.pooling.strategies import PoolStrategy, pools
from tests.contracts.examples import every


@every(pools)
def test_strata_have_sizes_and_rates(example: PoolStrategy) -> None:
    for size, rate in example.layers:
        assert size >= 1
        assert 0 < rate <= 1


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("Depth(d=10)", ((10, 1.0),)),
        ("UniformSample(d=50, rate=0.3)", ((50, 0.3),)),
        ("TwoStrata(d=10, deep=100, rate=0.1)", ((10, 1.0), (90, 0.1))),
        ("Stratified(strata=[(10, 1), (90, 0.44)])", ((10, 1.0), (90, 0.44))),
    ],
)
def test_the_strategies_of_the_interface(name: str, layers: tuple[tuple[int, float], ...]) -> None:
    assert pools.parse(name).layers == layers
