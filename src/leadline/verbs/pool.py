"""pool: which pairs to judge, with the probability and the stratum of each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.formats.collection import read_collection
from leadline.formats.problems import Notices
from leadline.pools.protocol import PoolStrategy, pools


@dataclass(frozen=True)
class Pooled:
    """A pool, the runs that it was made from, and what was noticed while reading them."""

    pool: Pool
    runs: Runs
    notices: Notices

    def frame(self) -> pl.DataFrame:
        """Columns topic, doc, stratum, inclusion of the members."""
        member = np.flatnonzero(self.pool.member)
        return (
            self.runs.pairs.frame()[member]
            .drop("pair")
            .with_columns(
                stratum=pl.Series(self.pool.stratum[member]),
                inclusion=pl.Series(self.pool.inclusion[member]),
            )
        )

    def per_topic(self) -> pl.DataFrame:
        """Columns topic, pairs: how many there are to judge."""
        topic = self.runs.pairs.topic[self.pool.member]
        count = np.bincount(topic, minlength=len(self.runs.pairs.topics))
        return pl.DataFrame({"topic": self.runs.pairs.topics, "pairs": count})

    def per_run(self) -> pl.DataFrame:
        """Columns run, group, pairs, alone: members a run returns, and only its group does."""
        holders = self.runs.by_pair
        entry_pair = np.repeat(np.arange(len(self.runs.pairs)), np.diff(holders.start))
        inside = self.pool.member[entry_pair]
        codes = {name: code for code, name in enumerate(dict.fromkeys(self.runs.group))}
        group = np.array([codes[name] for name in self.runs.group])[holders.run]
        first = np.full(len(self.runs.pairs), -1)
        shared = np.zeros(len(self.runs.pairs), np.bool_)
        # A pair is shared if the group of some entry is not that of its first.
        first[entry_pair[::-1]] = group[::-1]
        shared[entry_pair[group != first[entry_pair]]] = True
        n_runs = len(self.runs.names)
        alone = inside & ~shared[entry_pair]
        return pl.DataFrame(
            {
                "run": self.runs.names,
                "group": self.runs.group,
                "pairs": np.bincount(holders.run[inside], minlength=n_runs),
                "alone": np.bincount(holders.run[alone], minlength=n_runs),
            }
        )


def pool(
    qrels: Any,
    runs: Any = None,
    strategy: str | PoolStrategy = "Depth(d=10)",
    *,
    seed: int = 0,
    **options: Any,
) -> pl.DataFrame:
    """Columns topic, doc, stratum, inclusion of the pairs to judge.

    Inputs as for `evaluate`; `qrels` may be None where nothing is judged yet. The same runs and
    seed give the same pool on every machine, and without some of the runs a pool inside it.
    """
    return make_pool(qrels, runs, strategy, seed=seed, **options).frame()


def make_pool(
    qrels: Any, runs: Any, strategy: str | PoolStrategy, *, seed: int = 0, **options: Any
) -> Pooled:
    """The same with what each run adds to it."""
    made = pools.parse(strategy) if isinstance(strategy, str) else strategy
    read = read_collection(qrels, runs, **options)
    return Pooled(made.pool(read.runs, seed), read.runs, read.notices)
