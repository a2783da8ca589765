"""Every statistic of two orderings of the same runs, by name."""

import numpy as np

from leadline.comparison.distance import discrimination, distance, kendall_distance
from leadline.comparison.leaders import K, kept, largest_drop, leader_drop, swaps
from leadline.comparison.overlap import P, rbo
from leadline.comparison.rank_correlation import kendall, spearman, tau_ap, tau_ap_b
from leadline.tables.arrays import Floats

DECIMALS = 12
COUNTS = ("runs", "leader_drop", "largest_drop", "swaps")
"""Statistics that are whole numbers."""


def orderings(a: Floats, b: Floats, p: float = P, k: int = K) -> dict[str, float]:
    """How far b orders the runs as a does; a is the truth where a statistic has one.

    p is RBO's, k says how many are leaders; there are at most as many as runs. Scores that differ
    by less than 1e-12 are equal: means of the same numbers added in another order are.
    """
    if len(a) != len(b):
        raise ValueError(f"orderings must be of the same runs, found {len(a)} and {len(b)} scores")
    if len(a) < 2:
        raise ValueError(f"to compare orderings takes two runs, found {len(a)}")
    if k < 1:
        raise ValueError(f"k, the number of leaders, must be at least 1, not {k}")
    k = min(k, len(a))
    a, b = np.round(a, DECIMALS), np.round(b, DECIMALS)
    return {
        "runs": len(a),
        "kendall_tau_a": kendall(a, b, "a"),
        "kendall_tau_b": kendall(a, b, "b"),
        "tau_ap": tau_ap(a, b),
        "tau_ap_b": tau_ap_b(a, b),
        "kendall_distance": kendall_distance(a, b),
        "spearman": spearman(a, b),
        "rbo": rbo(a, b, p),
        "rbo_a": rbo(a, b, p, "a"),
        "rbo_b": rbo(a, b, p, "b"),
        "leader_drop": leader_drop(a, b),
        "largest_drop": largest_drop(a, b, k),
        "swaps": swaps(a, b, k),
        "kept": kept(a, b, k),
    }


def separations(a: Floats, b: Floats) -> dict[str, float]:
    """How far two tables of scores, runs x topics, separate the same pairs of runs alike.

    dist and dist_sigma are Eq. 11 of Lu, Moffat and Culpepper 2017 with alpha 1 and |sigma|, a the
    first regime; discrimination is the share of pairs that a t-test at 0.05 separates.
    """
    return {
        "dist": distance(a, b),
        "dist_sigma": distance(a, b, "sigma"),
        "discrimination_a": discrimination(a),
        "discrimination_b": discrimination(b),
    }
