"""Runs in tiers instead of a strict order."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.scores import SCORE_NOISE

By = Literal["certainty", "significance"]

CUT = "a cut between tiers is no difference: neighbours across it may not be told apart"
"""What every list of tiers has to say."""


def tiers(order: Int64s, apart: Bools) -> Int64s:
    """The tier of each run, 1 the best; no two runs of a tier can be told apart.

    `order` has the runs, best first: see `ranked`. A run joins the tier before it if it cannot be
    told apart from any member of it, else it opens a new one: no other way of cutting the order
    needs fewer tiers. A run and its neighbour across a cut may still be indistinguishable: see
    `stretches`.
    `apart[a, b]` says whether a and b can be told apart.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> tiers(np.array([0, 1, 2]), apart).tolist()
    [1, 1, 2]
    """
    made = np.zeros(len(order), np.int64)
    begin, tier = 0, 1
    for place, run in enumerate(order.tolist()):
        if apart[run, order[begin:place]].any():
            begin, tier = place, tier + 1
        made[run] = tier
    return made


def stretches(in_order: Int64s, apart: Bools) -> list[list[int]]:
    """The longest groups of neighbours, best first, in which no two can be told apart.

    They may overlap. These are the bars of a critical-difference diagram; single runs have none.

    >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> stretches(np.array([0, 1, 2]), apart)
    [[0, 1], [1, 2]]
    """
    order = in_order.tolist()
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


def ranked(mean: Floats, names: Sequence[str]) -> Int64s:
    """Runs by mean, best first; those without a mean last; equals by name.

    >>> ranked(np.array([0.2, np.nan, 0.2, 0.5]), ["b", "c", "a", "d"]).tolist()
    [3, 2, 0, 1]
    """
    return np.lexsort((np.array(names, np.str_), -np.nan_to_num(mean, nan=-np.inf)))


def places(mean: Floats) -> list[int | None]:
    """Place of each run, 1 the best; equals share the better place; None where there is no mean.

    >>> places(np.array([0.2, 0.5, 0.2, np.nan]))
    [2, 1, 2, None]
    """
    defined = mean[~np.isnan(mean)]
    return [None if np.isnan(own) else int((defined > own + SCORE_NOISE).sum()) + 1 for own in mean]
