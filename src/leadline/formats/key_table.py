"""Where a 64-bit key stands among sorted ones, found by its first bits."""

import numpy as np
import numpy.typing as npt

from leadline.data.arrays import Int32s, Int64s
from leadline.formats.rows import Keys

_STRETCH = 1 << 16
_ROOM = 4
"""There are between 2^4 and 2^5 slots for every key."""


class KeyTable:
    """A table from the first bits of a key to the first key that has them.

    Binary search over a million keys misses the cache twenty times; this misses it once.
    """

    def __init__(self, key: Keys) -> None:
        self.key = key
        self.slot: Int32s = np.full(1 << min(24, len(key).bit_length() + _ROOM), -1, np.int32)
        # Backwards, so that the first key with these bits is the one that stays.
        self.slot[self._bits(key)[::-1]] = np.arange(len(key), dtype=np.int32)[::-1]
        # A quarter of the size, so that most keys that are not here are told from the cache.
        self.some = self.slot >= 0

    def _bits(self, key: Keys) -> npt.NDArray[np.int64]:
        n_bits = len(self.slot).bit_length() - 1
        return (key >> np.uint64(64 - n_bits)).view(np.int64)

    def find(self, wanted: Keys) -> tuple[Int64s, Int64s]:
        """Positions in `wanted` of keys that are in the table, and where each of them is."""
        positions, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        # By stretches that stay in the cache.
        for first in range(0, len(wanted), _STRETCH):
            part = wanted[first : first + _STRETCH]
            bits = self._bits(part)
            position = np.flatnonzero(self.some.take(bits))
            at = self.slot[bits[position]].astype(np.int64)
            hit = self.key[at] == part[position]
            # Few keys share their first bits with another; those are searched for.
            other = np.flatnonzero(~hit)
            at[other] = np.searchsorted(self.key, part[position[other]])
            at[at == len(self.key)] = 0
            hit[other] = self.key[at[other]] == part[position[other]]
            positions.append(position[hit] + first)
            places.append(at[hit])
        return np.concatenate(positions), np.concatenate(places)
