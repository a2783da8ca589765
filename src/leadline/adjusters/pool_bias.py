"""What an adjuster is given: evidence about runs that had no part in making the pool."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.pools.without import BestRanks, DrawnPool
from leadline.tables.arrays import Bools, Floats, Int32s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import UNRANKED, Runs


@dataclass(frozen=True, eq=False, kw_only=True)
class PoolBias(Evidence):
    """Evidence, how the pool was drawn from the contributing runs, and which runs are `new`.

    These are all the others without it. Judgments of documents outside the pool count, and are
    never withdrawn. `trusted` judgments and the `common` topics that they hold for are what Topics
    learns from.
    """

    drawn: DrawnPool
    new: Bools | None = None
    trusted: Judgments | None = None
    common: Bools | None = None

    @cached_property
    def new_names(self) -> tuple[str, ...]:
        """The names of the runs to be put right."""
        return self.new_runs(1).names

    def new_runs(self, depth: int | None = None) -> Runs:
        """The runs to be put right, their lists cut to a depth."""
        return self.runs.only(~self.contributors.mask if self.new is None else self.new, depth)

    @property
    def n_topics(self) -> int:
        """All of them, whatever is judged."""
        return len(self.runs.pairs.topics)

    @property
    def evaluation_depth(self) -> int | None:
        """How deep lists must be for the measure; None for whole lists, as condensed ones need."""
        return None if self.measure.judged_only else self.measure.depth

    @cached_property
    def best_ranks(self) -> BestRanks:
        """Best ranks over the contributing runs, and without each, as deep as pairs are drawn."""
        return self.contributors.best_ranks(self.drawn.depth)

    def new_ranks(self) -> Iterator[Int32s]:
        """The rank of every pair in one new run after the other."""
        runs = self.new_runs()
        for run in range(len(runs.names)):
            ranks = np.full(len(runs.pairs), UNRANKED, np.int32)
            mine = slice(runs.start[run, 0], runs.stop[run, -1])
            ranks[runs.pair[mine]] = runs.entries.rank[mine]
            yield ranks

    @cached_property
    def lists(self) -> Lists:
        """The contributing runs' lists as the judgments see them."""
        return Lists.of(self.contributors.runs.cut(self.evaluation_depth), self.judgments)

    @cached_property
    def pooled(self) -> Floats:
        """[contributing runs, topics]: the scores of these lists."""
        return self.measure.score(self.lists).value

    def new_lists(self, judgments: Judgments | None = None) -> Lists:
        """The new runs' lists as the judgments see them, or as others do."""
        known = self.judgments if judgments is None else judgments
        return Lists.of(self.new_runs(self.evaluation_depth), known)

    @cached_property
    def alone(self) -> Bools:
        """Judged pairs that would not be, had the run with the best rank stayed away."""
        ranks = self.best_ranks
        inside, left = self.drawn.member(ranks.best), self.drawn.member(ranks.second)
        lost: Bools = self.judgments.judged & inside & ~left
        return lost

    def withdrawn(self, replaced_by: Int32s | None = None) -> Lists:
        """Every contributing run's lists as judgments see them that lack what only it pooled.

        With `replaced_by`, the rank of every pair in a new run, that run takes its place in the
        pool: what it returns above the pool's depth stays judged.
        """
        ranks, known, lost = self.best_ranks, self.judgments, self.alone
        if replaced_by is not None:
            lost = lost & ~self.drawn.member(np.minimum(ranks.second, replaced_by))
        runs = self.contributors.runs.cut(self.evaluation_depth)
        gone = lost[runs.pair] & (ranks.holder[runs.pair] == runs.entries.run)
        whole = self.lists
        pair = np.flatnonzero(lost)
        shape = (len(runs.names), self.n_topics, known.max_grade + 1)
        cell = np.ravel_multi_index(
            (ranks.holder[pair], runs.pairs.topic[pair], known.grade[pair]), shape
        )
        missing = np.bincount(cell, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
        return Lists(
            whole.runs,
            whole.topics,
            whole.start,
            whole.stop,
            whole.judged & ~gone,
            np.where(gone, np.int16(0), whole.grade),
            whole.counts - missing,
            known.max_grade,
        )
