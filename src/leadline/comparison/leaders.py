"""What happens to the leaders of one ordering in another."""

import numpy as np

from leadline.tables.arrays import Floats, Int64s

K = 10
EQUAL = 1e-9
"""Scores that differ by less are equal: estimates carry the noise of a solver."""


def leader_drop(a: Floats, b: Floats) -> int:
    """How many ranks the best run by a is lower by b; of several best, the one that falls least.

    >>> leader_drop(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]))
    2
    """
    return int(ranks(b)[a >= a.max() - EQUAL].min()) - 1


def largest_drop(a: Floats, b: Floats, k: int = K) -> int:
    """The most ranks that one of the best k runs by a is lower by b, 0 if none falls.

    >>> largest_drop(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]), k=2)
    2
    """
    here, there = ranks(a), ranks(b)
    return max(0, int((there - here)[here <= k].max()))


def swaps(a: Floats, b: Floats, k: int = K) -> int:
    """Pairs with one of the best k runs by a that b puts the other way round; ties are no swaps.

    >>> swaps(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]), k=1)
    2
    """
    turned = np.sign(a[:, None] - a) * np.sign(b[:, None] - b) < 0
    leads = ranks(a) <= k
    return int(np.triu(turned & (leads[:, None] | leads), 1).sum())


def kept(a: Floats, b: Floats, k: int = K) -> float:
    """Share of the best k runs by a that are among the best k by b.

    >>> kept(np.array([3.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0]), k=2)
    0.5
    """
    leads = ranks(a) <= k
    return float((ranks(b)[leads] <= k).mean())


def ranks(scores: Floats) -> Int64s:
    """Rank of each run, 1 the best; equals share the best of their ranks.

    >>> ranks(np.array([0.2, 0.5, 0.5])).tolist()
    [3, 1, 1]
    """
    better: Int64s = (scores[None, :] > scores[:, None] + EQUAL).sum(axis=1)
    return 1 + better
