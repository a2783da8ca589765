"""Chances of pairs to be drawn: in proportion to their worth, none without a chance."""

import numpy as np

from leadline.tables.arrays import Bools, Floats

LEAST_WORTH = 1e-30
"""Of the largest: what is worth less is worth nothing."""


def chances(
    worth: Floats, open_: Bools, n: float, share: float, reach: Floats | None = None
) -> Floats:
    """The chance of every pair, so that n of the open ones are expected to be drawn.

    (1 - share) * min(1, k * worth) + share * min(1, c * reach): what is worth nothing by the model
    may be worth something in truth. `reach`, more than 0, is the most that a pair weighs in a run:
    no weight is ever divided by a chance that is far too small for it. Without it all reach as far.
    A pair that is not open has the chance that it would have if it alone were open too: that it
    was drawn has no part in its own chance. Where fewer than n are worth anything, these are all
    drawn but for the share, and all chances rise.

    >>> chances(np.array([3.0, 1.0, 0.0]), np.ones(3, bool), 1.5, 0.1).round(3).tolist()
    [0.95, 0.5, 0.05]
    >>> drawn = np.array([True, False, False])
    >>> chances(np.array([3.0, 1.0, 0.0]), ~drawn, 1.5, 0.1).round(3).tolist()
    [0.95, 0.987, 0.513]
    """
    n_open = int(open_.sum())
    reach = np.ones(len(worth)) if reach is None else reach
    worth = worth / (worth.max(initial=0.0) or 1.0)
    worth[worth < LEAST_WORTH] = 0.0
    some = worth > 0
    # How many are open, and how many of them worth something, if the pair itself is open too.
    of_all, of_some = n_open + ~open_, int(some[open_].sum()) + (some & ~open_)
    anyway = share * _shared(reach, open_, n)
    first = np.where(some, 1 - share, 0.0) + anyway
    expected = (1 - share) * of_some + share * n
    few = (of_some < n) & (n < of_all)
    rising = np.divide(n - expected, of_all - expected, out=np.zeros(len(worth)), where=few)
    chance = np.where(few, first + rising * (1 - first), anyway)
    if not few.all():
        chance += np.where(few, 0.0, (1 - share) * _shared(worth, open_, n))
    chance[of_all <= n] = 1.0
    return chance


def _shared(worth: Floats, open_: Bools, n: float) -> Floats:
    """min(1, k * worth), k such that it adds up to n over the open ones and the pair itself.

    >>> _shared(np.array([3.0, 1.0, 0.0]), np.ones(3, bool), 1.5).tolist()
    [1.0, 0.5, 0.0]
    """
    falling = -np.sort(-worth[open_])
    own = np.where(open_, 0.0, worth)
    # With the first m cut to 1, the rest has n - m to share; the least m that cuts all it must.
    rest = falling[::-1].cumsum()[::-1]
    m = np.arange(len(falling))
    over = (n - m) * falling - rest
    # From where n are cut on nothing is over; before that it falls.
    at = np.searchsorted(-over[m < n], -own)
    rest, m = np.append(rest, 0.0), np.append(m, len(falling))
    left = rest[at] + own
    k = np.divide(n - m[at], left, out=np.zeros(len(worth)), where=left > 0)
    shared: Floats = np.minimum(1.0, k * worth)
    return shared
