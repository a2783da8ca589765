"""Draws that depend on nothing but the seed and the name of what is drawn."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from leadline.data.arrays import Floats, Int64s
from leadline.data.pairs import Pairs


def draw(seed: int, names: Iterable[tuple[str, str]], batch: int = 0) -> Floats:
    """A uniform number in [0, 1) for each (topic, doc), from BLAKE2b of seed, topic and doc.

    In a later `batch` each has another, independent of the first.

    A pair keeps its number when runs are removed, so a smaller pool lies inside the larger one.

    >>> draw(0, [("1", "a"), ("1", "b")]).round(4).tolist()
    [0.663, 0.1905]
    """
    return draw_bytes(seed, name_bytes(names), batch)


def name_bytes(names: Iterable[tuple[str, str]]) -> list[bytes]:
    """What is hashed of each (topic, doc), for those who draw the same names again."""
    return [f"\x1f{topic}\x1f{doc}".encode() for topic, doc in names]


def draw_bytes(seed: int, names: list[bytes], batch: int = 0) -> Floats:
    """The numbers of names that are bytes already."""
    begin = f"{seed}" if batch == 0 else f"{seed}\x1f{batch}"
    start = blake2b(begin.encode(), digest_size=8)
    digests = []
    for name in names:
        state = start.copy()
        state.update(name)
        digests.append(state.digest())
    bits = np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)
    return (bits >> np.uint64(11)).astype(np.float64) / 2**53


def draw_pairs(seed: int, pairs: Pairs, wanted: Int64s, batch: int = 0) -> Floats:
    """The number of each of these pairs."""
    return draw(seed, zip(*pairs.names(wanted), strict=True), batch)


def scattered(seed: int, number: Int64s) -> Floats:
    """A uniform number in [0, 1) for each whole number, the same whatever is asked beside it.

    The mixing of SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators,
    OOPSLA 2014.

    >>> scattered(0, np.array([[0, 1], [2, 0]])).round(3).tolist()
    [[0.883, 0.432], [0.026, 0.883]]
    """
    z = number.astype(np.uint64)
    z += np.uint64(1 + (seed << 32) % 2**63)
    z *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / 2**53
