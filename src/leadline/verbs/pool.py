"""pool: which pairs to judge, with the probability and the stratum of each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from leadline.collection.collection import Collection
from leadline.collection.inputs import TopicNames
from leadline.collection.read import read
from leadline.files.problems import Notices
from leadline.pools.strategy import PoolStrategy, pools
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs


@dataclass(frozen=True)
class Pooled:
    """A pool, the runs that it was made from, and what was noticed while reading them."""

    pool: Pool
    runs: Runs
    judgments: Judgments
    notices: Notices

    @property
    def n_judged(self) -> int:
        """How many members the judgments given hold already."""
        return int((self.pool.member & self.judgments.judged).sum())

    def frame(self, undrawn: bool = False) -> pl.DataFrame:
        """Columns topic, doc, stratum, inclusion of the members.

        `undrawn` adds what could have been drawn but was not, and a column drawn.
        """
        pool = self.pool
        chosen = np.flatnonzero(pool.member | (undrawn & (pool.inclusion > 0)))
        frame = (
            self.runs.pairs.frame(chosen)
            .drop("pair")
            .with_columns(
                stratum=pl.Series(pool.stratum[chosen]),
                inclusion=pl.Series(pool.inclusion[chosen]),
            )
        )
        return frame.with_columns(drawn=pl.Series(pool.member[chosen])) if undrawn else frame

    def per_topic(self) -> pl.DataFrame:
        """Columns topic, pairs: how many there are to judge."""
        topic = self.runs.pairs.topic[self.pool.member]
        count = np.bincount(topic, minlength=len(self.runs.pairs.topics))
        return pl.DataFrame({"topic": self.runs.pairs.topics, "pairs": count})

    def per_run(self) -> pl.DataFrame:
        """Columns run, group, pairs, alone: members in a run's top ranks, only in its group's."""
        holders = self.runs.postings
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
    undrawn: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Columns topic, doc, stratum, inclusion of the pairs to judge.

    `undrawn` adds the pairs that chance left out, and a column drawn that tells them apart: infAP,
    xinfAP and infNDCG count them.

    Inputs as for `evaluate`; `qrels` may be None where nothing is judged yet, and only its topics
    count if it is not. The same runs and seed give the same pool on every machine, and without
    some of the runs a pool inside it.
    """
    return make_pool(qrels, runs, strategy, seed=seed, **options).frame(undrawn)


def make_pool(
    qrels: Any,
    runs: Any,
    strategy: str | PoolStrategy,
    *,
    seed: int = 0,
    topics: TopicNames = None,
    **options: Any,
) -> Pooled:
    """The same with what each run adds to it."""
    made = pools.parse(strategy) if isinstance(strategy, str) else strategy
    found = read_topics(qrels, runs, topics, depth=made.last_rank, **options)
    return Pooled(made.pool(found.runs, seed), found.runs, found.judgments, found.notices)


def read_topics(qrels: Any, runs: Any, topics: TopicNames = None, **options: Any) -> Collection:
    """A collection, of which only some topics are kept if any are named."""
    return read(qrels, runs, topics=topics, **options)
