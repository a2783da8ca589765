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
    The chances of pairs that are not open come with them: to draw those again costs nothing. Where
    fewer than n are worth anything, these are all drawn but for the share, and all chances rise.

    >>> chances(np.array([3.0, 1.0, 0.0]), np.ones(3, bool), 1.5, 0.1).round(3).tolist()
    [0.95, 0.5, 0.05]
    """
    n_open = int(open_.sum())
    if n >= n_open:
        return np.ones(len(worth))
    reach = np.ones(len(worth)) if reach is None else reach
    most = worth[open_].max()
    worth = np.minimum(worth, most) / (most or 1.0)
    worth[worth < LEAST_WORTH] = 0.0
    anyway = share * np.minimum(1.0, _factor(reach[open_], n) * reach)
    if np.count_nonzero(worth[open_]) >= n:
        by_worth = np.minimum(1.0, _factor(worth[open_], n) * worth)
        return (1 - share) * by_worth + anyway
    first = np.where(worth > 0, 1 - share, 0.0) + anyway
    missing = n - first[open_].sum()
    chance: Floats = first + missing / (1 - first[open_]).sum() * (1 - first)
    return chance


def _factor(worth: Floats, n: float) -> float:
    """The k for which min(1, k * worth) adds up to n.

    >>> _factor(np.array([3.0, 1.0, 0.0]), 1.5)
    0.5
    """
    falling = -np.sort(-worth)
    # With the first m cut to 1, the rest has n - m to share; the least m that cuts all it must.
    rest = falling[::-1].cumsum()[::-1]
    m = np.arange(len(falling))
    fits = (n - m) * falling <= rest
    at = int(np.argmax(fits))
    return float((n - at) / rest[at])
