"""What a pool strategy promises: the same pool for the same runs and seed, honestly drawn."""

import numpy as np

from leadline.pools.strategy import PoolStrategy, pools
from leadline.tables.pool import Pool
from leadline.testing.naming_contract import check_name
from leadline.testing.small_collection import SmallCollection, small_collections
from leadline.testing.violation import demand, no_errors

N_SEEDS = 100
FAR = 6.0
"""Standard deviations that chance never goes."""


def check_pool(strategy: PoolStrategy | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the strategy breaks a promise on one of n small collections.

    The same seed gives the same pool, whatever the order of the runs; members are returned by some
    run, and were included with the probability that the pool tells.
    """
    strategy = check_name(pools, strategy)
    for small in small_collections(n, seed, n_docs=12, n_runs=4):
        pool = _drawn(strategy, small, 1)
        _check_members(strategy, small, pool)
        again = _drawn(strategy, small, 1)
        backwards = _drawn(strategy, small.with_runs(list(small.runs)[::-1]), 1)
        for other, when in ((again, "twice"), (backwards, "with its runs in another order")):
            same = np.array_equal(pool.member, other.member)
            same = same and np.array_equal(pool.inclusion, other.inclusion)
            demand(same, f"{strategy} draws another pool {when} with the same seed, given {small}")
    _check_draws(strategy, small)


def _drawn(strategy: PoolStrategy, small: SmallCollection, seed: int) -> Pool:
    with no_errors(strategy, small):
        return strategy.pool(small.tables()[0], seed)


def _check_members(strategy: PoolStrategy, small: SmallCollection, pool: Pool) -> None:
    runs, _ = small.tables()
    name = f"the pool of {strategy}"
    demand(pool.strategy == str(strategy), f"{name} must name it, not {pool.strategy}")
    demand(pool.seed == 1, f"{name} must tell its seed 1, not {pool.seed}")
    demand(
        len(pool.pairs) == len(runs.pairs), f"{name} must be over the pairs of the runs: {small}"
    )
    possible = pool.inclusion > 0
    returned = np.diff(runs.postings.start) > 0
    demand(not (possible & ~returned).any(), f"{name} has what no run returns, given {small}")
    certain = pool.inclusion == 1
    demand(pool.member[certain].all(), f"{name} lacks what it has for certain, given {small}")


def _check_draws(strategy: PoolStrategy, small: SmallCollection) -> None:
    """Over many seeds the pool is as large on average as its probabilities add up to."""
    drawn = [_drawn(strategy, small, seed) for seed in range(N_SEEDS)]
    share = drawn[0].inclusion
    mean = float(np.mean([len(pool) for pool in drawn]))
    spread = float(np.sqrt((share * (1 - share)).sum() / N_SEEDS))
    # A size that is fixed is rounded, at most by one half in every stratum of every topic.
    cells = {(t, s) for t, s in zip(drawn[0].pairs.topic, drawn[0].stratum, strict=True) if s >= 0}
    off = abs(mean - float(share.sum()))
    demand(
        off <= FAR * spread + len(cells) / 2,
        f"the inclusion probabilities of {strategy} add up to {share.sum():.2f} documents, but "
        f"{mean:.2f} are drawn on average over {N_SEEDS} seeds, given {small}",
    )
