"""How much of a level each of several tests gets: more where a favour is hard to find."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from leadline.tables.arrays import Floats

EVEN = 0.1
"""Of the level: so much is for all tests alike, whatever they are expected to find."""

LEAST_SIZE, MOST_SIZE = 0.5, 10.0
"""In standard errors: what is smaller is not found, and what is larger is found at any level."""


def level_shares(size: Floats, level: float) -> Floats:
    """The share of `level` for each test, so that most of them are expected to find something.

    `size` is what each is expected to find, in standard errors. One that reaches c_i finds it with
    chance Phi(size_i - c_i), and finds nothing amiss where nothing is but for Phi(-c_i). The sum of
    the first is largest for a given sum of the second where

        c_i = size_i / 2 + k / size_i

    Spjotvoll, On the optimality of some multiple comparison procedures, 1972; Roeder and Wasserman,
    Genome-wide significance levels and weighted hypothesis testing, 2009. Nine tenths follow this,
    one is for all alike, as what there is may be smaller or larger than expected. Sizes must not
    follow from the figures that are tested, or the level is not kept.

    >>> level_shares(np.array([4.0, 4.0, 8.0, 8.0]), 0.04).round(3).tolist()
    [0.474, 0.474, 0.026, 0.026]
    """
    if not len(size):
        return np.zeros(0)
    size = np.clip(np.nan_to_num(size, nan=MOST_SIZE), LEAST_SIZE, MOST_SIZE)

    def beyond(k: float) -> Floats:
        tail: Floats = ndtr(-size / 2 - k / size)
        return tail

    most = 20 * MOST_SIZE
    k = brentq(lambda each: float(beyond(each).sum()) - level, -most, most, xtol=1e-12)
    follows = beyond(k)
    shares: Floats = EVEN / len(size) + (1 - EVEN) * follows / follows.sum()
    return shares
