"""The paired bootstrap test, for many pairs of runs at once."""

from dataclasses import dataclass

import numpy as np

from leadline.comparison.hypothesis_test import Tails, Test, tests
from leadline.comparison.randomisation import CELLS, NOISE, check_draws
from leadline.comparison.significance import moments
from leadline.tables.arrays import Floats


@tests.register
@dataclass(frozen=True)
class Bootstrap(Test):
    """The bootstrap test: how often do redrawn topics without a difference show as large a t?

    Formula: p = (1 + #{|t(w*)| >= |t(d)|}) / (1 + n), w = d - mean(d), w* redrawn with replacement

    t is mean * sqrt(topics) / sd. n draws of topics, the same for every pair; the sample seen
    counts as one of them, so p is never 0. One tail leaves out the bars. NaN for one topic, and
    where all differences are 0.

    >>> rows = np.array([[0.2, 0.2, 0.2]])
    >>> Bootstrap(n=999).p(rows, 2, np.random.default_rng(0)).tolist()
    [0.001]

    Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
    """

    null = "the means over topics are equal"
    row_by_row = True

    n: int = 10_000

    def __post_init__(self) -> None:
        check_draws(self.n)

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        n, mean, sd = moments(difference)
        p = np.full(len(difference), np.nan)
        defined = ~np.isnan(difference)
        # A draw is of topics on which both runs have a score: one set of draws for each such set.
        patterns, which = np.unique(defined, axis=0, return_inverse=True)
        source = random.integers(0, 2**63)
        for number, pattern in enumerate(patterns):
            rows = np.flatnonzero(which.ravel() == number)
            if pattern.sum() < 2:
                continue
            counts = _draws(int(pattern.sum()), self.n, np.random.default_rng(source))
            shifted = difference[rows][:, pattern] - mean[rows, None]
            shifted[sd[rows] == 0] = 0.0
            with np.errstate(divide="ignore"):
                t = mean[rows] * np.sqrt(n[rows]) / np.where(mean[rows] == 0, 1.0, sd[rows])
            p[rows] = (1 + _as_far(shifted, counts, t, tails)) / (1 + self.n)
        p[np.nan_to_num(np.abs(difference)).max(axis=1, initial=0.0) == 0] = np.nan
        return p


def _draws(n_topics: int, n: int, random: np.random.Generator) -> Floats:
    """How often each topic is drawn, one column a draw."""
    return random.multinomial(n_topics, np.full(n_topics, 1 / n_topics), n).T.astype(np.float64)


def _as_far(shifted: Floats, counts: Floats, t: Floats, tails: Tails) -> Floats:
    """For each row, how many draws have a t as far from 0 as the one seen."""
    topics, draws = counts.shape
    found = np.zeros(len(shifted))
    rows = max(1, CELLS // draws)
    for begin in range(0, len(shifted), rows):
        part = slice(begin, begin + rows)
        mean = shifted[part] @ counts / topics
        square = shifted[part] ** 2 @ counts / topics
        scale = (shifted[part] ** 2).max(axis=1)[:, None]
        variance = np.maximum(square - mean**2, 0.0) * topics / (topics - 1)
        mean[np.abs(mean) < NOISE * np.sqrt(scale)] = 0.0
        flat = variance <= NOISE * scale
        size = np.abs(mean) if tails == 2 else mean
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn = size * np.sqrt(topics) / np.sqrt(variance)
        # All draws the same: no spread, so as far as can be if there is a mean at all.
        drawn[flat] = np.where(size[flat] == 0, 0.0, np.copysign(np.inf, size[flat]))
        seen = np.abs(t[part]) if tails == 2 else t[part]
        found[part] = (drawn >= (seen - NOISE * np.abs(np.nan_to_num(seen)))[:, None]).sum(axis=1)
    return found
