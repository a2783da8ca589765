"""What the contributing runs return: who has a pair, where, and to which depth it is judged."""

from dataclasses import dataclass
from itertools import takewhile
from weakref import WeakKeyDictionary

import numpy as np

from leadline.naming.spec import NamingError
from leadline.pools.strategy import pools
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

ENOUGH = 0.95
"""Without a pool: a rank counts as judged if so large a share of its documents is."""


@dataclass(frozen=True, eq=False)
class ContributedEntries:
    """The entries of the contributing runs, sorted by pair and then by run.

    `start[pair]` to `start[pair + 1]` are the entries of a pair; `run` counts contributing runs
    only. `topic_start` bounds the pairs of each topic. `deepest` is the longest list's length.
    """

    n_runs: int
    start: Int64s
    run: Int64s
    rank: Int32s
    pair: Int64s
    topic: Int64s
    topic_start: Int64s
    deepest: int

    @classmethod
    def of(cls, runs: Runs, contributing: Bools | None = None) -> "ContributedEntries":
        """The entries of these runs."""
        mask = contributors(runs, contributing)
        known = _KNOWN.get(runs)
        if known is not None and np.array_equal(known[0], mask):
            return known[1]
        found = cls._of(runs, mask)
        _KNOWN[runs] = mask, found
        return found

    @classmethod
    def _of(cls, runs: Runs, mask: Bools) -> "ContributedEntries":
        holders = runs.postings
        pair = np.repeat(np.arange(len(runs.pairs)), np.diff(holders.start))
        kept = mask[holders.run]
        pair = pair[kept]
        count = np.bincount(pair, minlength=len(runs.pairs))
        rank = holders.rank[kept]
        return cls(
            int(mask.sum()),
            np.concatenate([[0], np.cumsum(count)]),
            (np.cumsum(mask) - 1)[holders.run[kept]],
            rank,
            pair,
            runs.pairs.topic[pair].astype(np.int64),
            np.searchsorted(runs.pairs.topic, np.arange(len(runs.pairs.topics) + 1)),
            int(rank.max(initial=1)),
        )

    @property
    def n_topics(self) -> int:
        """Topics, with or without entries."""
        return len(self.topic_start) - 1

    def mean_gain(self, gain: Floats, depth: int) -> Floats:
        """[topics, depth]: mean gain at each rank over the runs; what is not there counts 0."""
        near = self.rank <= depth
        cell = self.topic[near] * depth + self.rank[near] - 1
        total = np.bincount(cell, gain[self.pair[near]], self.n_topics * depth)
        mean: Floats = total.reshape(self.n_topics, depth) / self.n_runs
        return mean

    def ranks_of(self, pairs: Int64s) -> Int32s:
        """[pairs, runs]: the rank of each pair in each run, 0 where it is not returned."""
        table = np.zeros((len(pairs), self.n_runs), np.int32)
        count = self.start[pairs + 1] - self.start[pairs]
        row = np.repeat(np.arange(len(pairs)), count)
        entry = np.repeat(self.start[pairs] - np.cumsum(count) + count, count) + np.arange(len(row))
        table[row, self.run[entry]] = self.rank[entry]
        return table


# Turning millions of entries round takes long, and several estimators follow each other.
_KNOWN: "WeakKeyDictionary[Runs, tuple[Bools, ContributedEntries]]" = WeakKeyDictionary()


def contributors(runs: Runs, contributing: Bools | None) -> Bools:
    """Which runs teach; a ValueError if none does."""
    if contributing is None:
        return np.ones(len(runs.names), np.bool_)
    mask: Bools = np.asarray(contributing, np.bool_)
    if mask.shape != (len(runs.names),) or not mask.any():
        raise ValueError("at least one of the runs must be a contributing one")
    return mask


def judged_depth(
    runs: Runs, judgments: Judgments, pool: Pool | None, contributing: Bools | None = None
) -> int:
    """The depth to which everything that contributing runs return was judged.

    As the pool's strategy names it; else the last rank down to which all documents are members of
    the pool with certainty, or, without a pool, down to which 95 in 100 at every rank are judged.
    """
    named = None if pool is None else _named_depth(pool.strategy)
    if named is not None:
        return named
    returned = ContributedEntries.of(runs, contributing)
    known = judgments.judged if pool is None else pool.member & (pool.inclusion == 1.0)
    there = np.bincount(returned.rank, minlength=2)[1:]
    inside = np.bincount(returned.rank, known[returned.pair], len(there) + 1)[1:]
    full = inside >= there * (ENOUGH if pool is None else 1.0)
    depth = int(np.argmin(full)) if not full.all() else len(full)
    if depth == 0:
        raise ValueError(
            "not even the first documents of the contributing runs are all judged, so there is no "
            "depth from which to learn how gain falls with rank: give the depth of the pool"
        )
    return depth


def _named_depth(strategy: str) -> int | None:
    try:
        layers = pools.parse(strategy).layers
    except NamingError:
        return None
    whole = takewhile(lambda layer: layer[1] == 1, layers)
    return sum(size for size, _ in whole) or None
