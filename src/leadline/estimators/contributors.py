"""The runs that teach: what follows from their ranks alone, whatever is judged."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from leadline.pools.without import BestRanks
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.runs import Postings, Runs


@dataclass(frozen=True, eq=False)
class Contributors:
    """The runs of a mask, in the order of their names: the order they came in changes nothing.

    `kept` holds what methods work out from the ranks, so that many judgments can share it.
    """

    everyone: Runs
    mask: Bools
    kept: dict[Any, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.mask.sum())

    @cached_property
    def _chosen(self) -> Bools:
        """The mask over the runs in the order of their names; a ValueError if it is of none."""
        if self.mask.shape != (len(self.everyone.names),) or not self.mask.any():
            raise ValueError("at least one of the runs must be a contributing one")
        chosen = {self.everyone.names[run] for run in np.flatnonzero(self.mask)}
        return np.array([name in chosen for name in self.everyone.by_name.names], np.bool_)

    @cached_property
    def runs(self) -> Runs:
        """Themselves."""
        ordered = self.everyone.by_name
        return ordered if self._chosen.all() else ordered.only(self._chosen)

    def top(self, depth: int) -> Runs:
        """Their lists cut to a depth; cheaper than cutting all of `runs`."""
        return self.everyone.by_name.only(self._chosen, depth)

    @cached_property
    def group(self) -> tuple[str, ...]:
        """The group of each."""
        group = self.everyone.by_name.group
        return tuple(group[run] for run in np.flatnonzero(self._chosen))

    @cached_property
    def postings(self) -> Postings:
        """Who returns a pair, and where."""
        postings = self.everyone.by_name.postings
        return postings if self._chosen.all() else postings.by(self._chosen)

    def postings_of(self, pairs: Int64s) -> Postings:
        """The same of some pairs, without a look at the others."""
        postings = self.everyone.by_name.postings.of(pairs)
        return postings if self._chosen.all() else postings.by(self._chosen)

    def best_ranks(self, depth: int) -> BestRanks:
        """The best rank of every pair down to a depth, who has it there, and the best of others."""
        return BestRanks.of(self.top(depth), np.arange(len(self)))

    @cached_property
    def deepest(self) -> int:
        """The length of the longest list."""
        return int(self.everyone.length[self.mask].max(initial=1))

    def mean_gain(self, gain: Floats, depth: int) -> Floats:
        """[topics, depth]: mean gain at each rank over the runs; what is not there counts 0."""
        top = self.top(depth)
        cell = top.entries.topic.astype(np.int64) * depth + top.entries.rank - 1
        n_topics = len(top.pairs.topics)
        total = np.bincount(cell, gain[top.pair], n_topics * depth)
        mean: Floats = total.reshape(n_topics, depth) / len(self)
        return mean

    def ranks_of(self, pairs: Int64s) -> Int32s:
        """[pairs, runs]: the rank of each pair in each run, 0 where it is not returned."""
        postings = self.postings.of(pairs)
        table = np.zeros((len(pairs), len(self)), np.int32)
        table[postings.pair, postings.run] = postings.rank
        return table
