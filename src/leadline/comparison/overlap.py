"""Rank-biased overlap of two orderings of the same runs."""

from typing import Literal

import numpy as np

from leadline.tables.arrays import Bools, Floats

Ties = Literal["w", "a", "b"]
P = 0.9


def rbo(a: Floats, b: Floats, p: float = P, ties: Ties = "w") -> float:
    """Extrapolated rank-biased overlap of the runs ordered by two sets of scores.

    RBO = (1 - p) * sum over d = 1..n of p^(d-1) A_d + p^n A_n, A_d how far the first d agree.
    Without ties A_d is the share of runs that both have among their first d. Of runs with equal
    scores `w` takes all as soon as the first is in, A_d = 2 |X and Y| / (|X| + |Y|), as Webber et
    al. do; `a` is the mean over all ways of breaking ties; `b` puts that right for what ties hide,
    so that an ordering agrees with itself fully.

    >>> rbo(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0]), p=0.5)
    0.5
    >>> rbo(np.array([3.0, 3.0, 1.0]), np.array([3.0, 2.0, 1.0]), p=0.5).__round__(4)
    0.8333

    Webber, Moffat and Zobel, A similarity measure for indefinite rankings, TOIS 2010. Corsi and
    Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024.
    """
    if not 0 < p < 1:
        raise ValueError(f"p must lie between 0 and 1, not {p}")
    n = len(a)
    if not n:
        return np.nan
    x, y = _inside(a, ties), _inside(b, ties)
    both = (x * y).sum(axis=1)
    if ties == "w":
        agreement = 2 * both / (x.sum(axis=1) + y.sum(axis=1))
    elif ties == "a":
        agreement = both / np.arange(1, n + 1)
    else:
        agreement = both / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    weights = (1 - p) * p ** np.arange(n)
    return float((weights * agreement).sum() + p**n * agreement[-1])


def _inside(scores: Floats, ties: Ties) -> Floats:
    """depth x runs: how far each run is among the first d."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    starts: Bools = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    group = starts.cumsum() - 1
    first = np.flatnonzero(starts)[group]
    size = np.bincount(group)[group]
    depth = np.arange(1, len(scores) + 1)[:, None]
    share = np.clip((depth - first) / (1 if ties == "w" else size), 0.0, 1.0)
    made: Floats = np.empty_like(share)
    made[:, order] = share
    return made
