"""Random numbers that belong to names: the same whatever else is drawn, and in which order."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from leadline.data.arrays import Floats

Keys = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def name_keys(names: Iterable[str]) -> Keys:
    """Return a 64-bit key for each name.

    >>> [hex(int(key)) for key in name_keys(["a", "b"])]
    ['0x40f89e395b66422f', '0x8472c2e34d854f75']
    """
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
    return np.array([int.from_bytes(digest, "big") for digest in digests], np.uint64)


def combined(*keys: Any) -> Keys:
    """Return keys of combinations of names; arrays are broadcast."""
    key = np.zeros(1, np.uint64)
    for part in keys:
        key = _mixed((key + _STEP) ^ np.asarray(part, np.uint64))
    return key


def uniform(keys: Keys, n: int, seed: int, stream: str) -> npt.NDArray[np.float32]:
    """Return numbers [keys, n] in (0, 1), from a counter-based generator (SplitMix64)."""
    bits = _bits(keys, n, seed, stream) >> np.uint64(41)
    return (bits.astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-23)


def normal(keys: Keys, n: int, seed: int, stream: str) -> Floats:
    """Return standard normal numbers [keys, n]."""
    from scipy.special import ndtri

    bits = _bits(keys, n, seed, stream) >> np.uint64(12)
    drawn: Floats = ndtri((bits.astype(np.float64) + 0.5) * 2.0**-52)
    return drawn


def _bits(keys: Keys, n: int, seed: int, stream: str) -> Keys:
    with np.errstate(over="ignore"):
        start = combined(name_keys([stream])[0], np.uint64(seed), keys)
        counter = np.arange(1, n + 1, dtype=np.uint64) * _STEP
        mixed: Keys = _mixed(start[:, None] + counter)
    return mixed


def _mixed(key: Any) -> Any:
    with np.errstate(over="ignore"):
        key = (key ^ (key >> np.uint64(30))) * _FIRST
        key = (key ^ (key >> np.uint64(27))) * _SECOND
        return key ^ (key >> np.uint64(31))
