"""Runs in tiers instead of a strict order."""

from typing import Literal

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.scores import SCORE_NOISE

By = Literal["certainty", "significance"]

CUT = "a cut between tiers is no difference: neighbours across it may not be told apart"
"""What every list of tiers has to say."""


def tiers(mean: Floats, apart: Bools) -> Int64s:
    """The tier of each run, 1 the best; no two runs of a tier can be told apart.

    Runs are taken by mean, best first. A run joins the tier before it if it cannot be told apart
    from any member of it, else it opens a new one: no other way of cutting the order needs fewer
    tiers. A run and its neighbour across a cut may still be indistinguishable: see `stretches`.
    `apart[a, b]` says whether a and b can be told apart.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> tiers(np.array([0.5, 0.4, 0.3]), apart).tolist()
    [1, 1, 2]
    """
    order = ranked(mean)
    made = np.zeros(len(mean), np.int64)
    begin, tier = 0, 1
    for place, run in enumerate(order.tolist()):
        if apart[run, order[begin:place]].any():
            begin, tier = place, tier + 1
        made[run] = tier
    return made


def stretches(mean: Floats, apart: Bools) -> list[list[int]]:
    """The longest groups of neighbours, best first, in which no two can be told apart.

    They may overlap. These are the bars of a critical-difference diagram; single runs have none.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> stretches(np.array([0.5, 0.4, 0.3]), apart)
    [[0, 1], [1, 2]]
    """
    order = ranked(mean).tolist()
    found: list[list[int]] = []
    furthest = 0
    for begin in range(len(order)):
        end = begin + 1
        while end < len(order) and not apart[order[end], order[begin:end]].any():
            end += 1
        if end - begin > 1 and end > furthest:
            found.append(order[begin:end])
        furthest = max(furthest, end)
    return found


def ranked(mean: Floats) -> Int64s:
    """Runs by mean, best first; those without a mean last; equals as they come."""
    return np.argsort(-np.nan_to_num(mean, nan=-np.inf), kind="stable")


def places(mean: Floats) -> list[int | None]:
    """Place of each run, 1 the best; equals share the better place; None where there is no mean.

    >>> places(np.array([0.2, 0.5, 0.2, np.nan]))
    [2, 1, 2, None]
    """
    defined = mean[~np.isnan(mean)]
    return [None if np.isnan(own) else int((defined > own + SCORE_NOISE).sum()) + 1 for own in mean]
