"""What there is to learn from: runs, judgments, and how these came about."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any, Self

import numpy as np

from leadline.estimators.contributors import Contributors
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.naming.spec import NamingError
from leadline.pools.strategy import pools
from leadline.tables.arrays import Bools, Floats
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.pool_depth import pool_depth
from leadline.tables.runs import Runs

TOGETHER = 1 << 17
"""Entries of lists whose temporaries are held at once."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that an estimator or an adjuster may know, with what follows from it.

    `judgments` are those that are known, `pool` how they were chosen. Only `contributing` runs, all
    without it, teach anything: the others are scored by what these say. `words` has what the
    documents say, in the order of `runs.pairs.docs`, for an estimator that `reads`.
    """

    measure: Measure
    runs: Runs
    judgments: Judgments
    pool: Pool | None = None
    contributing: Bools | None = None
    words: WordCounts | None = None

    def but(self, **changes: Any) -> Self:
        """Evidence with some of it changed; what follows from the ranks alone is not lost."""
        changed = replace(self, **changes)
        if not {"runs", "contributing"} & changes.keys():
            changed.__dict__["contributors"] = self.contributors
        return changed

    @cached_property
    def contributors(self) -> Contributors:
        """The runs that teach."""
        everyone = np.ones(len(self.runs.names), np.bool_)
        mask = everyone if self.contributing is None else np.asarray(self.contributing, np.bool_)
        return Contributors(self.runs, mask)

    @property
    def weighted(self) -> Weighted:
        """The measure; a ValueError if it is no sum of weights and gains."""
        if isinstance(self.measure, Weighted):
            return self.measure
        raise ValueError(
            f"{self.measure} is no sum of weights and gains, so gains of single documents cannot "
            "be estimated for it: take RBP, P@k, DCG@k or SDCG@k"
        )

    @cached_property
    def depth(self) -> int:
        """The depth to which everything that contributing runs return was judged.

        As the pool's strategy names it; else the last rank down to which all documents are members
        of the pool with certainty, or, without a pool, what the judgments tell.
        """
        pool, runs = self.pool, self.contributors.runs
        if pool is None:
            depth = pool_depth(runs, self.judgments)
        else:
            outside = ~(pool.member & (pool.inclusion == 1.0))[runs.pair]
            first = runs.entries.rank[outside].min(initial=self.contributors.deepest + 1)
            depth = _named_depth(pool.strategy) or int(first) - 1
        if not depth:
            raise ValueError(
                "not even the first documents of the contributing runs are all judged, so there "
                "is no depth from which to learn how gain falls with rank: give the depth of the "
                "pool"
            )
        return depth

    @cached_property
    def gain_table(self) -> Floats:
        """The gain of each grade."""
        return self.weighted.gain(self.judgments.max_grade)

    @property
    def max_gain(self) -> float:
        """The largest gain there is."""
        return float(self.gain_table.max())

    @cached_property
    def known_gain(self) -> Floats:
        """The gain of every pair, 0 where it was not judged."""
        gain: Floats = self.gain_table[: self.judgments.max_grade + 1][self.judgments.grade]
        return gain

    @cached_property
    def judged(self) -> Bools:
        """Whether the document of every entry was judged."""
        judged: Bools = self.judgments.judged[self.runs.pair]
        return judged

    @cached_property
    def weight(self) -> Floats:
        """The weight of every entry's rank."""
        rank = self.runs.entries.rank
        weight: Floats = self.weighted.weights(int(rank.max(initial=1)))[rank - 1]
        return weight

    @cached_property
    def tail_weight(self) -> Floats:
        """[runs, topics]: the weight that stays open beyond the end of each list."""
        length = self.runs.length
        return self.weighted.tail(length.ravel()).reshape(length.shape)

    def list_sums(self, amount: Floats) -> Floats:
        """[runs, topics]: the sum of an amount over the entries of each list."""
        shape = self.runs.start.shape
        sums = np.bincount(self.runs.entries.list, amount, self.runs.start.size)
        return sums.astype(np.float64, copy=False).reshape(shape)

    def weighted_sums(self, gain: Floats) -> Floats:
        """[runs, topics]: the sum of weight times gain over the entries of each list."""
        length, start = self.runs.length.ravel(), self.runs.start.ravel()
        weights = self.weighted.weights(int(length.max(initial=1)))
        sums = np.zeros(len(length))
        for lists, entries in self.runs.segments(TOGETHER):
            of = np.repeat(np.arange(len(length[lists])), length[lists])
            rank = np.arange(entries.start, entries.stop) - start[lists][of]
            sums[lists] = np.bincount(of, weights[rank] * gain[entries], len(length[lists]))
        return sums.reshape(self.runs.length.shape)

    def filled(
        self,
        guess: Floats | float,
        tail: Floats | float = 0.0,
        standard_error: Floats | None = None,
    ) -> EstimatedGains:
        """What is judged keeps its gain, everything else takes the guess made for its entry.

        One number is the guess for all.
        """
        # Not by way of `known_gain`, which has a number for every pair.
        gain = self.gain_table[: self.judgments.max_grade + 1][self.judgments.grade[self.runs.pair]]
        np.clip(guess, 0.0, self.max_gain, out=gain, where=~self.judged)
        wide = np.broadcast_to(np.clip(tail, 0.0, self.max_gain), self.runs.start.shape)
        return EstimatedGains(self, gain, wide, standard_error)


def _named_depth(strategy: str) -> int | None:
    try:
        layers = pools.parse(strategy).layers
    except NamingError:
        return None
    whole = takewhile(lambda layer: layer[1] == 1, layers)
    return sum(size for size, _ in whole) or None
