"""Every distinct (topic, doc) that a run or a judgment mentions, each with one number."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from leadline.data.arrays import Int32s, Int64s, freeze, read_only, topic_order
from leadline.data.labels import NoisyLabels
from leadline.data.names import Keys, Names

if TYPE_CHECKING:
    import polars as pl


_STRETCH = 1 << 16
_SLOTS = 3
_SIEVE = 3
"""There are between 2^n and 2^(n + 1) of them for every key."""


class KeyTable:
    """A table from the first bits of a key to the first of the sorted keys that has them.

    Binary search over a million keys misses the cache twenty times; this misses it once. Most keys
    that are not here are told by a sieve of single bytes, which knows more bits of every key.
    """

    def __init__(self, key: Keys) -> None:
        self.n_keys = len(key)
        # With a last one that no search goes beyond.
        self.key = np.append(key, np.uint64(2**64 - 1))
        n_bits = len(key).bit_length()
        self.slot: Int32s = np.zeros(1 << min(23, n_bits + _SLOTS), np.int32)
        # Backwards, so that the first key with these bits is the one that stays.
        self.slot[_bits(key, self.slot)[::-1]] = np.arange(len(key), dtype=np.int32)[::-1]
        self.sieve = np.zeros(1 << min(25, n_bits + _SIEVE), np.bool_)
        self.sieve[_bits(key, self.sieve)] = True

    def find(self, wanted: Keys) -> tuple[Int64s, Int64s]:
        """Positions in `wanted` of keys that are in the table, and where each of them is."""
        positions, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        # By stretches that stay in the cache.
        for first in range(0, len(wanted), _STRETCH):
            part = wanted[first : first + _STRETCH]
            position = np.flatnonzero(self.sieve[_bits(part, self.sieve)])
            likely = part[position]
            at = self.slot[_bits(likely, self.slot)].astype(np.int64)
            # Keys with the same first bits follow each other.
            left = np.flatnonzero(self.key[at] < likely)
            while len(left):
                at[left] += 1
                left = left[self.key[at[left]] < likely[left]]
            hit = (self.key[at] == likely) & (at < self.n_keys)
            positions.append(position[hit] + first)
            places.append(at[hit])
        return np.concatenate(positions), np.concatenate(places)


def _bits(key: Keys, table: npt.NDArray[Any]) -> Int64s:
    """As many first bits of each key as the table has places for."""
    n_bits = len(table).bit_length() - 1
    return (key >> np.uint64(64 - n_bits)).view(np.int64)


_ODD = np.uint64(0x9E3779B97F4A7C15)
_SORTED = 1 << 16
"""Pairs sorted at a time: what is made of them stays in the cache."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Topic and doc of each pair, sorted by topic, then by the doc's name, byte by byte.

    The doc of pair i is name `at[i]` of those `held`, which lie as they were read. `labels` is what
    noisy judges say of the pairs.

    >>> pairs = Pairs.of(["2", "1", "1"], ["b", "b", "a"])
    >>> [pairs.name(pair) for pair in range(len(pairs))]
    [('1', 'a'), ('1', 'b'), ('2', 'b')]
    >>> pairs.find(["1", "2"], ["b", "zzz"]).tolist()
    [1, -1]
    """

    topics: tuple[str, ...]
    topic: Int32s
    held: Names
    at: Int32s
    labels: NoisyLabels | None = None

    def __post_init__(self) -> None:
        n = len(self.topic)
        freeze(self, np.int32, (n,), "topic", "at")
        if n and not (self.topic[0] >= 0 and self.topic[-1] < len(self.topics)):
            raise ValueError("a pair's topic must be the number of a known one")
        if (self.topic[1:] < self.topic[:-1]).any():
            raise ValueError("pairs must be sorted by topic")

    @property
    def needed_labels(self) -> NoisyLabels:
        """What noisy judges say; a ValueError if there are no labels."""
        if self.labels is None:
            raise ValueError("there are no labels: name label files in `labels`")
        return self.labels

    @classmethod
    def of(cls, topic: Iterable[str], doc: Iterable[str], topics: Iterable[str] = ()) -> Pairs:
        """The distinct pairs of two columns; `topics` may name topics that have no pair."""
        distinct = list(dict.fromkeys(zip(topic, doc, strict=True)))
        names = topic_order({*(name for name, _ in distinct), *topics})
        place = {name: at for at, name in enumerate(names)}
        number = np.array([place[name] for name, _ in distinct], np.int32)
        return cls.numbered(names, number, Names.of([name for _, name in distinct]))[0]

    @classmethod
    def numbered(cls, topics: Sequence[str], topic: Int32s, doc: Names) -> tuple[Pairs, Int32s]:
        """Pairs of columns that hold each (topic, doc) once, and the number of each row's."""
        order = _by_topic(topic)
        start = np.searchsorted(topic[order], np.arange(len(topics) + 1))
        # Between two topics, after about so many pairs.
        wanted = np.arange(0, len(order), _SORTED)
        cuts = np.append(start[np.searchsorted(start, wanted, side="right") - 1], len(order))
        for first, last in pairwise(cuts.tolist()):
            row = order[first:last]
            if len(row):
                within = (topic[row] - topic[row[0]]).astype(np.int64)
                order[first:last] = row[doc.gather(row).rising(within)]
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        return cls(tuple(topics), topic[order], doc, order), number

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} pairs, {len(self.topics):,} topics)"

    @cached_property
    def topic_start(self) -> Int64s:
        """The first pair of each topic, and the number of pairs."""
        return read_only(np.searchsorted(self.topic, np.arange(len(self.topics) + 1)))

    @cached_property
    def doc_name(self) -> Names:
        """The doc of each pair."""
        return self.held.gather(self.at)

    def docs_of(self, pair: Int64s | Int32s) -> Names:
        """The docs of some pairs."""
        return self.held.gather(self.at[pair])

    @cached_property
    def docs(self) -> pl.Series:
        """The distinct documents by name, whatever their topics."""
        return self.doc_name.series.unique().sort()

    @cached_property
    def doc(self) -> Int32s:
        """The number of each pair's document among `docs`."""
        import polars as pl

        code = self.doc_name.series.cast(pl.Enum(self.docs)).to_physical()
        return read_only(code.cast(pl.Int32).to_numpy(writable=True))

    def name(self, pair: int) -> tuple[str, str]:
        """Topic and doc of one pair, as they were read."""
        return self.topics[self.topic[pair]], self.held[int(self.at[pair])]

    def names(self, pair: Int64s) -> tuple[list[str], list[str]]:
        """Topics and docs of some pairs."""
        topics = [self.topics[topic] for topic in self.topic[pair].tolist()]
        return topics, self.docs_of(pair).to_list()

    def frame(self, pair: Int64s | None = None) -> pl.DataFrame:
        """Columns pair, topic, doc; of some pairs only where they are given."""
        import polars as pl

        at = np.arange(len(self)) if pair is None else pair
        doc = self.doc_name if pair is None else self.docs_of(pair)
        return pl.DataFrame(
            {
                "pair": at.astype(np.int32),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(self.topic[at]),
                "doc": doc.series,
            }
        )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {topic: at for at, topic in enumerate(self.topics)}

    def number(self, topic: str, doc: str) -> int:
        """The number of one (topic, doc), -1 if it is not one of these pairs.

        >>> pairs = Pairs.of(["2", "1", "1"], ["b", "b", "a"])
        >>> pairs.number("1", "b"), pairs.number("1", "zzz"), pairs.number("3", "a")
        (1, -1, -1)
        """
        t = self._place.get(topic)
        if t is None:
            return -1
        first, last = self.topic_start[t : t + 2].tolist()
        wanted = doc.encode()
        # Sorted by their bytes, so this looks at twenty of a million.
        at = bisect_left(range(last), wanted, first, last, key=self._bytes)
        return at if at < last and self._bytes(at) == wanted else -1

    def _bytes(self, pair: int) -> bytes:
        return self.held.bytes_of(int(self.at[pair]))

    def find(self, topic: Iterable[str], doc: Iterable[str]) -> Int32s:
        """The number of each (topic, doc), -1 where it is not one of these pairs."""
        t = np.array([self._place.get(name, -1) for name in topic], np.int64)
        docs = Names.of(list(doc))
        key, first, copy = np.unique(_keys(t, docs), return_index=True, return_inverse=True)
        pair, at = KeyTable(key).find(self._key)
        one = first[at]
        hits = self.docs_of(pair).equals(docs.gather(one)) & (self.topic[pair] == t[one])
        alike = docs.equals(docs.gather(first[copy])) & (t == t[first[copy]])
        if not (hits.all() and alike.all()):
            return self._find_by_name(t, docs)
        number = np.full(len(key), -1, np.int32)
        number[at] = pair
        return number[copy]

    def _find_by_name(self, topic: Int64s, doc: Names) -> Int32s:
        """The number of each pair by comparing names only, for when two keys collide."""
        names = zip(self.topic.tolist(), self.doc_name.to_list(), strict=True)
        known = {name: at for at, name in enumerate(names)}
        wanted = zip(topic.tolist(), doc.to_list(), strict=True)
        return np.array([known.get(name, -1) for name in wanted], np.int32)

    @cached_property
    def _key(self) -> Keys:
        return _keys(self.topic.astype(np.int64), self.doc_name)


def _keys(topic: Int64s, doc: Names) -> Keys:
    return doc.keys(2) ^ (topic.astype(np.uint64) * _ODD)


def _by_topic(topic: Int32s) -> Int32s:
    """Positions by topic; rows of one topic mostly follow each other already."""
    new = np.ones(len(topic), np.bool_)
    new[1:] = topic[1:] != topic[:-1]
    start = np.flatnonzero(new)
    length = np.diff(np.append(start, len(topic)))
    best = np.argsort(topic[start], kind="stable")
    moved = start[best] - (np.cumsum(length[best]) - length[best])
    order = np.arange(len(topic), dtype=np.int32)
    order += np.repeat(moved.astype(np.int32), length[best])
    return order
