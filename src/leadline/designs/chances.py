"""Chances of pairs to be drawn: in proportion to their worth, none without a chance."""

import numpy as np

from leadline.tables.arrays import Bools, Floats

BISECTIONS = 60
LARGEST_FACTOR = 1e30
"""Of worth: whatever is worth anything is then drawn for certain, but for the even share."""


def chances(worth: Floats, open_: Bools, n: float, share: float) -> Floats:
    """The chance of every pair, so that n of the open ones are expected to be drawn.

    (1 - share) * min(1, k * worth) + share * n / number of open pairs: what is worth nothing by the
    model may be worth something in truth. The chances of pairs that are not open come with them:
    to draw those again costs nothing.

    >>> chances(np.array([3.0, 1.0, 0.0]), np.ones(3, bool), 1.5, 0.1).round(3).tolist()
    [0.95, 0.5, 0.05]
    """
    n_open = int(open_.sum())
    if n >= n_open:
        return np.ones(len(worth))
    even = share * n / n_open

    def by_worth(k: float) -> Floats:
        return np.minimum(1.0, (1 - share) * np.minimum(1.0, k * worth) + even)

    def evenly(more: float) -> Floats:
        return np.minimum(1.0, by_worth(LARGEST_FACTOR) + more)

    # Where too little is worth anything, the rest is drawn evenly.
    at = by_worth if by_worth(LARGEST_FACTOR)[open_].sum() >= n else evenly
    low, high = 0.0, 1.0
    while at(high)[open_].sum() < n:
        high *= 2
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle)[open_].sum() > n else (middle, high)
    return at(low)
