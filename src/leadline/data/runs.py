"""Ranked lists of several runs over the same pairs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.data.arrays import Bools, Int32s, Int64s, check_slices, frozen
from leadline.data.pairs import Pairs


@dataclass(frozen=True, eq=False)
class Holders:
    """Who returns a pair and where: entries `start[pair]` to `start[pair + 1]`, in run order."""

    start: Int64s
    run: Int32s
    rank: Int32s


@dataclass(frozen=True, eq=False)
class Runs:
    """Pair numbers in rank order; list (run, topic) is `pair[start[run, topic]:stop[run, topic]]`.

    A run that returns nothing for a topic has start == stop there.
    """

    pairs: Pairs
    names: tuple[str, ...]
    pair: Int32s
    start: Int64s
    stop: Int64s
    group: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.names), len(self.pairs.topics))
        object.__setattr__(self, "pair", frozen(self.pair, np.int32, (len(self.pair),), "pair"))
        object.__setattr__(self, "start", frozen(self.start, np.int64, shape, "start"))
        object.__setattr__(self, "stop", frozen(self.stop, np.int64, shape, "stop"))
        object.__setattr__(self, "group", self.group or self.names)
        if len(set(self.names)) != len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"two runs are named {twice}")
        if len(self.group) != len(self.names):
            raise ValueError(f"{len(self.names)} runs but {len(self.group)} groups")
        check_slices(self.start, self.stop, len(self.pair))
        self._check_lists()

    def _check_lists(self) -> None:
        lengths = (self.stop - self.start).ravel()
        if lengths.sum() != len(self.pair):
            raise ValueError("every entry must belong to one list")
        if not len(self.pair):
            return
        if self.pair.min() < 0 or self.pair.max() >= len(self.pairs):
            raise ValueError("an entry is not one of the pairs")
        list_of = np.empty(len(self.pair), np.int64)
        order = np.argsort(self.start.ravel(), kind="stable")
        list_of[:] = np.repeat(order, lengths[order])
        topic_of = list_of % self.start.shape[1]
        if (self.pairs.topic[self.pair] != topic_of).any():
            raise ValueError("a list holds a pair of another topic")
        key = np.sort(list_of * len(self.pairs) + self.pair)
        if (key[1:] == key[:-1]).any():
            raise ValueError("a list holds a pair twice")

    @property
    def rank(self) -> Int64s:
        """The rank of every entry, from 1."""
        order = np.argsort(self.start.ravel(), kind="stable")
        lengths = (self.stop - self.start).ravel()[order]
        first = np.repeat(self.start.ravel()[order], lengths)
        return np.arange(1, len(self.pair) + 1) - first

    def only(self, kept: Bools, depth: int | None = None) -> "Runs":
        """Some of the runs, their lists cut to a depth.

        >>> from leadline.data.pairs import Pairs
        >>> pairs = Pairs.of(["1", "1"], ["a", "b"])
        >>> ends = np.array([[2], [3]])
        >>> runs = Runs(pairs, ("x", "y"), np.array([1, 0, 0]), np.array([[0], [2]]), ends)
        >>> runs.only(np.array([True, False]), depth=1).pair.tolist()
        [1]
        """
        start, length = self.start[kept], (self.stop - self.start)[kept]
        if depth is not None:
            length = np.minimum(length, depth)
        stop = length.cumsum().reshape(length.shape)
        total = int(length.sum())
        flat = length.ravel()
        shift = np.repeat(start.ravel() - (stop - length).ravel(), flat)
        chosen = np.flatnonzero(kept)
        part = object.__new__(Runs)
        # Parts of lists that were checked need no second check, which would cost the most here.
        for name, value in (
            ("pairs", self.pairs),
            ("names", tuple(self.names[run] for run in chosen)),
            ("pair", frozen(self.pair[np.arange(total) + shift], np.int32, (total,), "pair")),
            ("start", frozen(stop - length, np.int64, length.shape, "start")),
            ("stop", frozen(stop, np.int64, length.shape, "stop")),
            ("group", tuple(self.group[run] for run in chosen)),
        ):
            object.__setattr__(part, name, value)
        return part

    @cached_property
    def by_pair(self) -> Holders:
        """The entries turned round: for every pair, the runs that return it and their ranks."""
        n_topics = self.start.shape[1]
        lists = np.argsort(self.start.ravel(), kind="stable")
        run = np.repeat(lists // max(n_topics, 1), (self.stop - self.start).ravel()[lists])
        ordered = bool((run[1:] >= run[:-1]).all())
        order = np.argsort(self.pair, kind="stable") if ordered else np.lexsort((run, self.pair))
        count = np.bincount(self.pair, minlength=len(self.pairs))
        start = np.concatenate([[0], np.cumsum(count)])
        return Holders(
            frozen(start, np.int64, start.shape, "start"),
            frozen(run[order], np.int32, self.pair.shape, "run"),
            frozen(self.rank[order], np.int32, self.pair.shape, "rank"),
        )
