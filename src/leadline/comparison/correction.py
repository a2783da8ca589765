"""p-values corrected for the number of tests."""

from typing import Literal

import numpy as np

from leadline.tables.arrays import Floats

Correct = Literal["holm", "bh", "none"]


def corrected(p: Floats, how: Correct) -> Floats:
    """p-values that can be held against the level as if there were only one test.

    `holm` bounds the chance of any false alarm, `bh` (Benjamini and Hochberg) the share of false
    alarms among those found. NaN stays NaN and counts as no test.

    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").round(2).tolist()
    [0.03, 0.06, 0.06]
    >>> corrected(np.array([0.01, 0.04, 0.03]), "bh").round(2).tolist()
    [0.03, 0.04, 0.04]

    Holm, A simple sequentially rejective multiple test procedure, 1979. Benjamini and Hochberg,
    Controlling the false discovery rate, 1995.
    """
    known = np.flatnonzero(~np.isnan(p))
    if how == "none" or not len(known):
        return p.copy()
    order = known[np.argsort(p[known], kind="stable")]
    m = len(order)
    rank = np.arange(1, m + 1)
    if how == "holm":
        raised = np.maximum.accumulate(p[order] * (m + 1 - rank))
    else:
        raised = np.minimum.accumulate((p[order] * (m / rank))[::-1])[::-1]
    made = np.full(len(p), np.nan)
    made[order] = np.minimum(raised, 1.0)
    return made
