"""The contract of pools holds for ours, and sees what breaks it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from leadline.contracts import Violation, check_pool
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.pooling.strategies import PoolStrategy, UniformSample, pools
from tests.contracts.examples import every, known


@every(pools)
def test_our_own_pools_keep_their_promises(example: PoolStrategy) -> None:
    check_pool(example, n=10)


def test_so_do_strata_of_fixed_size() -> None:
    check_pool("Stratified(strata=[(2, 1), (5, 0.4)], size=fixed)", n=10)


@dataclass(frozen=True)
class Toy(UniformSample):
    """A pool with a fault that a test chooses.

    Formula: as UniformSample
    """

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        return FAULTS[self.d](
            runs, replace(UniformSample(6, self.rate).pool(runs, seed), strategy=str(self))
        )


def by_clock(runs: Runs, pool: Pool) -> Pool:
    return replace(pool, member=np.random.default_rng().random(len(pool.member)) < pool.inclusion)


def by_first_run(runs: Runs, pool: Pool) -> Pool:
    first = np.zeros(len(pool.member), np.bool_)
    first[runs.pair[runs.entries.run == 0]] = True
    return replace(pool, member=pool.member & first)


def too_few(runs: Runs, pool: Pool) -> Pool:
    return replace(pool, inclusion=np.where(pool.inclusion > 0, 0.99, 0))


def nameless(runs: Runs, pool: Pool) -> Pool:
    return replace(pool, strategy="")


def seedless(runs: Runs, pool: Pool) -> Pool:
    return replace(pool, seed=99)


def certain(runs: Runs, pool: Pool) -> Pool:
    return replace(pool, inclusion=np.where(pool.inclusion > 0, 1.0, 0))


def unreturned(runs: Runs, pool: Pool) -> Pool:
    every = np.ones(len(pool.member))
    return replace(pool, inclusion=every, stratum=every, member=every)


FAULTS: dict[int, Callable[[Runs, Pool], Pool]] = {
    1: by_clock,
    2: by_first_run,
    3: too_few,
    4: nameless,
    5: seedless,
    6: certain,
    7: unreturned,
}
SAYS = {
    1: "draws another pool twice",
    2: "runs in another order",
    3: "drawn on average over 100 seeds",
    4: "must name it",
    5: "must tell its seed",
    6: "lacks what it has for certain",
    7: "what no run returns",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_pool_is_seen(monkeypatch: pytest.MonkeyPatch, fault: int) -> None:
    with pytest.raises(Violation, match=SAYS[fault]):
        check_pool(known(monkeypatch, pools, Toy(fault, 0.3)))
