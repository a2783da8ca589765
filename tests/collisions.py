"""Names made to share a key, as an attacker would make them: the hash of names can be undone."""

import string

import numpy as np

from leadline.data.names import Names

MASK = (1 << 64) - 1
ODD = 0x9E3779B97F4A7C15
BACK = pow(ODD, -1, 1 << 64)
LETTERS = (string.ascii_letters + string.digits + "!$%&()*+,-./:;<=>?@[]^_{|}~").encode()


def key_of(name: str, seed: int) -> int:
    """The key of one name."""
    return int(Names.of([name]).keys(seed)[0])


def name_with_key(key: int, seed: int, draw: int = 0) -> str:
    """A name of 16 letters that has this key; another one for another draw."""
    state = key ^ (key >> 29) ^ (key >> 58)
    state = state * BACK & MASK
    state = (state ^ (state >> 32)) * BACK & MASK
    random, letters = np.random.default_rng(draw), np.array(list(LETTERS), np.uint8)
    while True:
        lasts = random.choice(letters, (1 << 15, 8))
        last = lasts.copy().view(np.uint64).ravel()
        mixed = (np.uint64((16 + seed) * ODD & MASK) ^ last) * np.uint64(ODD)
        mixed ^= mixed >> np.uint64(32)
        firsts = (mixed ^ np.uint64(state)).view(np.uint8).reshape(-1, 8)
        good = np.flatnonzero(np.isin(firsts, letters).all(axis=1))
        if len(good):
            name = (firsts[good[0]].tobytes() + lasts[good[0]].tobytes()).decode()
            assert key_of(name, seed) == key
            return name
