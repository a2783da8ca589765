"""How large a difference is, how sure over topics, and what it would take to be sure of it."""

import numpy as np
from scipy.special import nctdtr, ndtri, stdtrit

from leadline.comparison.hypothesis_test import Tails
from leadline.comparison.significance import moments
from leadline.intervals.joint import OpenEntries
from leadline.tables.arrays import Bools, Floats
from leadline.tables.scores import SCORE_NOISE

POWER = 0.8
MANY = 10_000
"""From so many topics on, Student's t and the normal distribution give the same number."""


def effect_size(difference: Floats) -> Floats:
    """Mean difference in standard deviations over topics (Cohen's d for paired values).

    >>> effect_size(np.array([[1.0, 2.0, 3.0]])).tolist()
    [2.0]
    """
    _, mean, sd = moments(difference)
    size: Floats = np.divide(mean, sd, out=np.full(len(mean), np.nan), where=sd > 0)
    return size


def topic_interval(difference: Floats, level: float) -> tuple[Floats, Floats]:
    """Confidence interval of the mean difference over topics, by Student's t.

    mean -+ t(1 - level/2, n - 1) * sd / sqrt(n). It is about other topics of the same kind; the
    joint interval is about unjudged documents of these topics.

    >>> [float(end[0].round(4)) for end in topic_interval(np.array([[1.0, 2.0, 3.0]]), 0.05)]
    [-0.4841, 4.4841]
    """
    n, mean, sd = moments(difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = stdtrit(np.maximum(n - 1, 1), 1 - level / 2) * sd / np.sqrt(n)
    return mean - half, mean + half


def topics_needed(effect: Floats, level: float, tails: Tails, power: float = POWER) -> Floats:
    """Topics on which a t-test would find an effect of this size four times out of five.

    The smallest n with P(T > t(1 - level/tails, n - 1)) >= power, T noncentral t with n - 1 degrees
    of freedom and noncentrality effect * sqrt(n). NaN where there is no effect.

    >>> topics_needed(np.array([0.5, -0.2, 0.0]), 0.05, 2).tolist()
    [34.0, 199.0, nan]
    """
    size = np.abs(effect)
    found = np.full(len(size), np.nan)
    some = size > 0
    target = ndtri(1 - level / tails) + ndtri(power)
    # The normal distribution asks for too few, so the search goes upwards only.
    n = np.maximum(2.0, np.floor((target / size[some]) ** 2))
    while True:
        short = (n < MANY) & (_power(size[some], n, level, tails) < power)
        if not short.any():
            break
        n[short] += 1
    found[some] = n
    return found


def _power(size: Floats, n: Floats, level: float, tails: Tails) -> Floats:
    small = np.minimum(n, MANY)
    bound = stdtrit(small - 1, 1 - level / tails)
    # Beyond 30 the power is 1, and far beyond it the series does not converge.
    reached: Floats = 1 - nctdtr(small - 1, np.minimum(size * np.sqrt(small), 30.0), bound)
    return reached


class JudgmentsNeeded:
    """How many judgments would make the sign of a difference certain.

    Documents are judged in order of how much they move the difference, and taken to be as good as
    those judged so far: base / judged weight of the two runs. Then the sign is certain when what
    is left open cannot turn it round.
    """

    def __init__(self, entries: OpenEntries, most: float, n_topics: int, n_runs: int) -> None:
        order = np.argsort(entries.run, kind="stable")
        self.pair, self.weight = entries.pair[order], entries.weight[order]
        bounds = np.searchsorted(entries.run[order], np.arange(n_runs + 1))
        self.bounds = bounds
        self.scale = most / max(n_topics, 1)

    def certain(self, first: int, second: int, difference: float, rate: float) -> float:
        """Judgments for one pair of runs; NaN where nothing judged tells how good documents are."""
        if np.isnan(rate):
            return np.nan
        mine = slice(self.bounds[first], self.bounds[first + 1])
        theirs = slice(self.bounds[second], self.bounds[second + 1])
        pair = np.concatenate([self.pair[mine], self.pair[theirs]])
        amount = np.concatenate([self.weight[mine], -self.weight[theirs]]) * self.scale
        docs, which = np.unique(pair, return_inverse=True)
        move = np.bincount(which, weights=amount, minlength=len(docs))
        move = move[np.abs(move) > 0]
        move = move[np.argsort(-np.abs(move), kind="stable")]
        expected = difference + rate * np.concatenate([[0.0], move.cumsum()])
        up, down = (_left(np.maximum(sign * move, 0.0)) for sign in (1, -1))
        certain: Bools = (expected - down > SCORE_NOISE) | (expected + up < -SCORE_NOISE)
        return float(np.argmax(certain)) if certain.any() else np.nan


def _left(amount: Floats) -> Floats:
    """What remains after the first 0, 1, 2, ... of them."""
    return np.concatenate([amount[::-1].cumsum()[::-1], [0.0]])
