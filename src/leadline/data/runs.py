"""Ranked lists of several runs over the same pairs, and what follows from them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from leadline.data.arrays import Bools, Int32s, Int64s, freeze, read_only
from leadline.data.pairs import Pairs

UNRANKED = np.iinfo(np.int32).max
"""The best rank of a pair that no run returns."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Run, topic, list and rank (from 1) of every entry; list (run, topic) is run * topics + topic.

    Each column is made when it is first asked for.
    """

    length: Int64s

    @cached_property
    def list(self) -> Int32s:
        """The list that the entry stands in."""
        flat = self.length.ravel()
        return read_only(np.repeat(np.arange(flat.size, dtype=np.int32), flat))

    @cached_property
    def run(self) -> Int32s:
        """The run that returns the entry."""
        runs = np.arange(len(self.length), dtype=np.int32)
        return read_only(np.repeat(runs, self.length.sum(axis=1)))

    @cached_property
    def topic(self) -> Int32s:
        """The topic of the entry."""
        return read_only(self.list % np.int32(max(self.length.shape[1], 1)))

    @cached_property
    def rank(self) -> Int32s:
        """The entry's rank, from 1."""
        flat = self.length.ravel()
        first = (np.cumsum(flat) - flat).astype(np.int32)
        rank = np.arange(1, int(flat.sum()) + 1, dtype=np.int32)
        rank -= np.repeat(first, flat)
        return read_only(rank)


@dataclass(frozen=True, eq=False)
class Postings:
    """The runs that return a pair: entries `start[pair]` to `start[pair + 1]`, in run order."""

    start: Int64s
    run: Int32s
    rank: Int32s

    @cached_property
    def pair(self) -> Int64s:
        """The pair of every entry."""
        return read_only(np.repeat(np.arange(len(self.start) - 1), np.diff(self.start)))

    def of(self, pairs: Int32s | Int64s) -> "Postings":
        """The entries of some pairs, numbered by their place among these."""
        count = self.start[pairs + 1] - self.start[pairs]
        start = np.append(0, np.cumsum(count))
        entry = np.repeat(self.start[pairs] - start[:-1], count) + np.arange(start[-1])
        return Postings(start, self.run[entry], self.rank[entry])

    def by(self, kept: Bools) -> "Postings":
        """The entries of some runs, numbered by their place among these."""
        entry = kept[self.run]
        count = np.bincount(self.pair[entry], minlength=len(self.start) - 1)
        run = (np.cumsum(kept, dtype=np.int32) - np.int32(1))[self.run[entry]]
        return Postings(np.append(0, np.cumsum(count)), run, self.rank[entry])


@dataclass(frozen=True, eq=False)
class Runs:
    """Pair numbers in rank order; list (run, topic) is `pair[start[run, topic]:stop[run, topic]]`.

    Lists lie one after the other, run after run and topic after topic. A run that returns nothing
    for a topic has start == stop there.
    """

    pairs: Pairs
    names: tuple[str, ...]
    pair: Int32s
    start: Int64s
    stop: Int64s
    group: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._freeze()
        self._check()

    @classmethod
    def trusted(
        cls,
        pairs: Pairs,
        names: tuple[str, ...],
        pair: Int32s,
        length: Int64s,
        group: tuple[str, ...] = (),
    ) -> "Runs":
        """Lists that are known to be sound, as those of a reader: the checks cost more than that.

        `length` is that of each list.
        """
        stop = length.cumsum().reshape(length.shape)
        made = object.__new__(cls)
        columns = {"pairs": pairs, "names": names, "pair": pair, "group": group}
        for name, value in (columns | {"start": stop - length, "stop": stop}).items():
            object.__setattr__(made, name, value)
        made._freeze()
        return made

    def _freeze(self) -> None:
        shape = (len(self.names), len(self.pairs.topics))
        freeze(self, np.int32, (len(self.pair),), "pair")
        freeze(self, np.int64, shape, "start", "stop")
        object.__setattr__(self, "group", self.group or self.names)

    def _check(self) -> None:
        if len(set(self.names)) != len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ValueError(f"two runs are named {twice}")
        if len(self.group) != len(self.names):
            raise ValueError(f"{len(self.names)} runs but {len(self.group)} groups")
        if (self.length < 0).any():
            raise ValueError("a list stops before it starts")
        before = np.append(0, self.stop.ravel()[:-1])
        if (self.start.ravel() != before).any() or self.length.sum() != len(self.pair):
            raise ValueError("lists must lie one after the other, and every entry in one of them")
        if not len(self.pair):
            return
        if self.pair.min() < 0 or self.pair.max() >= len(self.pairs):
            raise ValueError("an entry is not one of the pairs")
        if (self.pairs.topic[self.pair] != self.entries.topic).any():
            raise ValueError("a list holds a pair of another topic")
        key = np.sort(self.entries.run.astype(np.int64) * len(self.pairs) + self.pair)
        if (key[1:] == key[:-1]).any():
            raise ValueError("a list holds a pair twice")

    def __repr__(self) -> str:
        sizes = len(self.names), len(self.pairs.topics), len(self.pair)
        return "Runs({:,} runs, {:,} topics, {:,} entries)".format(*sizes)

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What methods work out from the ranks alone, so that many judgments can share it."""
        return {}

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Every group once, as they first occur."""
        return tuple(dict.fromkeys(self.group))

    @cached_property
    def group_number(self) -> Int64s:
        """The number of each run's group among `groups`."""
        place = {name: at for at, name in enumerate(self.groups)}
        return read_only(np.array([place[name] for name in self.group], np.int64))

    @cached_property
    def length(self) -> Int64s:
        """The length of every list [runs, topics]."""
        return read_only(self.stop - self.start)

    @cached_property
    def entries(self) -> Entries:
        """Run, topic, list and rank of every entry."""
        return Entries(self.length)

    def segments(self, size: int) -> Iterator[tuple[slice, slice]]:
        """Lists that follow each other, as places in the flattened grid, and their entries.

        As many at a time as have about so many entries: what is worked out for all entries of big
        runs at once takes more memory than the runs.

        >>> from leadline.data.pairs import Pairs
        >>> pairs = Pairs.of(["1", "1", "2"], ["a", "b", "a"])
        >>> runs = Runs(pairs, ("x",), np.array([1, 0, 2]), np.array([[0, 2]]), np.array([[2, 3]]))
        >>> list(runs.segments(2))
        [(slice(0, 1, None), slice(0, 2, None)), (slice(1, 2, None), slice(2, 3, None))]
        """
        start, stop = self.start.ravel(), self.stop.ravel()
        first = np.searchsorted(stop, np.arange(0, len(self.pair), size), side="right")
        for begin, end in pairwise([*np.unique(first).tolist(), start.size]):
            yield slice(begin, end), slice(int(start[begin]), int(stop[end - 1]))

    @cached_property
    def place_by_name(self) -> Int64s:
        """The place of each run when they are sorted by name: what settles ties between them."""
        place = np.empty(len(self.names), np.int64)
        place[sorted(range(len(self.names)), key=self.names.__getitem__)] = range(len(self.names))
        return read_only(place)

    def first_by_name(self, chosen: Bools) -> int:
        """Of these runs the one whose name comes first."""
        return int(np.where(chosen, self.place_by_name, len(self.names)).argmin())

    def only(self, kept: Bools | Int64s, depth: int | None = None) -> "Runs":
        """Some of the runs, as a mask or in the order of their numbers, lists cut to a depth.

        >>> from leadline.data.pairs import Pairs
        >>> pairs = Pairs.of(["1", "1"], ["a", "b"])
        >>> ends = np.array([[2], [3]])
        >>> runs = Runs(pairs, ("x", "y"), np.array([1, 0, 0]), np.array([[0], [2]]), ends)
        >>> runs.only(np.array([True, False]), depth=1).pair.tolist()
        [1]
        """
        chosen = np.flatnonzero(kept) if kept.dtype == np.bool_ else kept
        start, length = self.start[chosen], self.length[chosen]
        if depth is not None:
            length = np.minimum(length, depth)
        flat = length.ravel()
        shift = np.repeat(start.ravel() - (np.cumsum(flat) - flat), flat)
        return Runs.trusted(
            self.pairs,
            tuple(self.names[run] for run in chosen),
            self.pair[np.arange(len(shift)) + shift],
            length,
            tuple(self.group[run] for run in chosen),
        )

    def cut(self, depth: int | None) -> "Runs":
        """All runs, their lists cut to a depth; the same object where none is longer."""
        if depth is None or self.length.max(initial=0) <= depth:
            return self
        return self.only(np.ones(len(self.names), np.bool_), depth)

    @cached_property
    def by_name(self) -> "Runs":
        """The runs in the order of their names, so that the order they came in changes nothing."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        if order == list(range(len(order))):
            return self
        return self.only(np.array(order, np.int64))

    @cached_property
    def postings(self) -> Postings:
        """The entries turned round: for every pair, the runs that return it and their ranks."""
        start = np.zeros(len(self.pairs) + 1, np.int64)
        np.cumsum(np.bincount(self.pair, minlength=len(self.pairs)), out=start[1:])
        run, rank = np.empty(len(self.pair), np.int32), np.empty(len(self.pair), np.int32)
        free = start[:-1].copy()
        ends = np.append(0, self.length.sum(axis=1).cumsum())
        # A run has a pair once, so run after run there is nothing to sort.
        for number, (begin, end) in enumerate(pairwise(ends.tolist())):
            pair = self.pair[begin:end]
            place = free[pair]
            free[pair] = place + 1
            run[place] = number
            rank[place] = self.entries.rank[begin:end]
        return Postings(read_only(start), read_only(run), read_only(rank))

    @cached_property
    def best_rank(self) -> Int32s:
        """The best rank that some run gives to each pair, UNRANKED where none returns it."""
        best = np.full(len(self.pairs), UNRANKED, np.int32)
        np.minimum.at(best, self.pair, self.entries.rank)
        return read_only(best)
