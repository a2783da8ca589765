"""What an adjuster is given: a pool, the runs that made it, and runs that had no part in it."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from leadline.pools.strategy import PoolStrategy
from leadline.pools.without import NOWHERE, BestRanks, Drawn
from leadline.tables.arrays import Bools, Int32s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class PooledAndNew:
    """Pooled and new runs over the same pairs, and what follows from them alone.

    `known` holds what adjusters work out from the runs, so that many pools of the same runs can
    share it.
    """

    pooled: Runs
    new: Runs
    known: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pooled.pairs is not self.new.pairs:
            raise ValueError("pooled and new runs must be over the same pairs")
        twice = set(self.pooled.names) & set(self.new.names)
        if twice:
            raise ValueError(f"{min(twice)} is both a pooled and a new run")

    @cached_property
    def by_run(self) -> BestRanks:
        """Best ranks over the pooled runs, and without each of them."""
        return BestRanks.of(self.pooled, np.arange(len(self.pooled.names)))

    def cut(self, depth: int | None) -> Runs:
        """The pooled runs to a depth, list after list."""
        return self._cut("pooled", depth)

    def cut_new(self, depth: int | None) -> Runs:
        """The new runs to a depth, list after list."""
        return self._cut("new", depth)

    def _cut(self, which: str, depth: int | None) -> Runs:
        if (which, depth) not in self.known:
            runs: Runs = getattr(self, which)
            self.known[which, depth] = runs.only(np.ones(len(runs.names), np.bool_), depth)
        cut: Runs = self.known[which, depth]
        return cut

    def rank_in(self, new: int) -> Int32s:
        """The rank of every pair in one of the new runs."""
        ranks = np.full(len(self.new.pairs), NOWHERE, np.int32)
        for start, stop in zip(self.new.start[new], self.new.stop[new], strict=True):
            ranks[self.new.pair[start:stop]] = np.arange(1, stop - start + 1)
        return ranks


@dataclass(frozen=True, eq=False)
class PoolBias:
    """A field, the judgments, and how the pool that they come from was drawn from its pooled runs.

    Judgments of documents outside that pool count, and are never withdrawn. `trusted` judgments and
    the `common` topics that they hold for are what Topics learns from.
    """

    field: PooledAndNew
    judgments: Judgments
    drawn: Drawn
    trusted: Judgments | None = None
    common: Bools | None = None

    @classmethod
    def of(
        cls,
        field: PooledAndNew,
        judgments: Judgments,
        strategy: PoolStrategy,
        seed: int = 0,
        **more: Any,
    ) -> "PoolBias":
        """The pool of a strategy."""
        return cls(field, judgments, Drawn(strategy, field.pooled, seed), **more)

    def withdrawn(self, replaced_by: Int32s | None = None, depth: int | None = None) -> Lists:
        """Every pooled run's lists as judgments see them that lack what only this run pooled.

        With `replaced_by`, the rank of every pair in a new run, that run takes its place in the
        pool: what it returns above the pool's depth stays judged.
        """
        by_run = self.field.by_run
        runs = self.field.cut(depth)
        known = self.judgments
        fallback = by_run.second
        if replaced_by is not None:
            fallback = np.minimum(fallback, replaced_by)
        # A pair whose best rank another run holds too, or better, is in whoever stays away.
        lost = known.judged & self.drawn.member(by_run.best) & ~self.drawn.member(fallback)
        n_topics, grades = len(runs.pairs.topics), known.max_grade + 1
        length = runs.stop - runs.start
        run = np.repeat(np.arange(len(runs.names), dtype=np.int32), length.sum(axis=1))
        gone = lost[runs.pair] & (by_run.holder[runs.pair] == run)
        whole = Lists.of(runs, known)
        counts = np.repeat(whole.counts[None], len(runs.names), axis=0)
        pair = np.flatnonzero(lost)
        cell = by_run.holder[pair].astype(np.int64) * n_topics + runs.pairs.topic[pair]
        missing = np.bincount(
            cell * grades + known.grade[pair], minlength=len(runs.names) * n_topics * grades
        )
        return Lists(
            whole.runs,
            whole.topics,
            whole.start,
            whole.stop,
            whole.judged & ~gone,
            np.where(gone, np.int16(0), whole.grade),
            counts - missing.reshape(counts.shape),
            known.max_grade,
        )

    def lists(self, depth: int | None = None) -> Lists:
        """The pooled runs' lists as the judgments see them."""
        return Lists.of(self.field.cut(depth), self.judgments)

    def new_lists(self, depth: int | None = None) -> Lists:
        """The new runs' lists as the judgments see them."""
        return Lists.of(self.field.cut_new(depth), self.judgments)


def inside(judgments: Judgments, member: Bools) -> Judgments:
    """The judgments of a pool's members; all others are withdrawn."""
    judged = judgments.judged & member
    grade = np.where(judged, judgments.grade, np.int16(0))
    return Judgments(judgments.pairs, judged, grade, max_grade=judgments.max_grade)
