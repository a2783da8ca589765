"""A forecast of how many judgments make the best run certain."""

from typing import Any

import numpy as np

from leadline.estimators.pair_weights import PairWeights
from leadline.tables.arrays import Bools, Floats
from leadline.tables.scores import SCORE_NOISE

N_WORLDS = 3
LEAST_BLOCK, N_BLOCKS = 20, 300
"""Pairs that are judged between two looks: so many, or as many as make so many looks."""


def until_certain(weights: PairWeights, judged: Bools, gain: Floats, expected: Floats) -> int:
    """Judgments until no run can pass the best one, median of three worlds that a model draws.

    Formula: the least n with base_s(n) + open_s(n) <= base_L(n) for every run s

    In each world an unjudged pair is relevant with the probability that is expected of it, L is
    the run that is best then, and pairs are judged in the order of how far they weigh differently
    in L and in the runs that can still pass it, some at a time. 0 if it is certain already.
    """
    known = np.where(judged, gain, 0.0)
    left = np.flatnonzero(~judged)
    matrix = weights.matrix.tocsc()[:, left]
    base = weights.scores(known)
    if _certain_now(base, matrix):
        return 0
    random = np.random.default_rng(0)
    counts = []
    for _ in range(N_WORLDS):
        gains = (random.random(len(left)) < expected[left]).astype(np.float64)
        counts.append(_judgments(base, matrix, gains))
    return int(np.median(counts))


def _certain_now(base: Floats, matrix: Any) -> bool:
    leader = int(np.argmax(base))
    return bool((_upper(base, matrix, leader) <= SCORE_NOISE).all())


def _upper(base: Floats, matrix: Any, leader: int) -> Floats:
    """The most that each run's difference to the leader can become; the leader's own is 0."""
    own = matrix[[leader]].toarray()[0]
    shared = np.flatnonzero(own)
    # Pairs that the leader has not count in full, the others by what they weigh more.
    more = matrix.sum(axis=1) - matrix[:, shared].sum(axis=1)
    more = more + np.maximum(matrix[:, shared].toarray() - own[shared], 0.0).sum(axis=1)
    upper: Floats = base - base[leader] + more
    upper[leader] = 0.0
    return upper


def _judgments(base: Floats, matrix: Any, gains: Floats) -> int:
    """How many pairs of a world are judged until its best run is certain."""
    leader = int(np.argmax(np.round((base + matrix @ gains) / SCORE_NOISE)))
    own = matrix[[leader]].toarray()[0]
    missing = _upper(base, matrix, leader)
    rows = matrix.tocsr()
    unjudged = np.ones(len(gains), np.bool_)
    block = max(LEAST_BLOCK, len(gains) // N_BLOCKS)
    n, contenders, weight = 0, np.zeros(len(base), np.bool_), np.zeros(len(gains))
    while (missing > SCORE_NOISE).any():
        if not np.array_equal(contenders, missing > SCORE_NOISE):
            contenders = missing > SCORE_NOISE
            weight = _weight(rows[contenders], own)
        weight[~unjudged] = 0.0
        chosen = np.argpartition(-weight, min(block, len(weight) - 1))[:block]
        chosen = chosen[weight[chosen] > 0]
        if not len(chosen):
            break
        apart = matrix[:, chosen].toarray() - own[chosen]
        # Whatever a judgment says, it closes what it does not give.
        closed = np.where(apart > 0, apart * (1 - gains[chosen]), -apart * gains[chosen])
        missing -= closed.sum(axis=1)
        unjudged[chosen] = False
        n += len(chosen)
    return n


def _weight(rows: Any, own: Floats) -> Floats:
    """How far pairs weigh differently in some runs and in the leader, all runs together."""
    shared = np.flatnonzero(own)
    total: Floats = np.asarray(rows.sum(axis=0)).ravel()
    total[shared] = np.abs(rows[:, shared].toarray() - own[shared]).sum(axis=0)
    return total
