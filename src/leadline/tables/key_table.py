"""Where a 64-bit key stands among sorted ones, found by its first bits."""

from typing import Any

import numpy as np
import numpy.typing as npt

from leadline.tables.arrays import Int32s, Int64s
from leadline.tables.names import Keys

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
