"""The randomised Tukey HSD test: all runs at once."""

from dataclasses import dataclass

import numpy as np

from leadline.comparison.hypothesis_test import Tails, Test, tests
from leadline.comparison.randomisation import CELLS, NOISE, check_draws
from leadline.tables.arrays import Floats, Int64s


@tests.register
@dataclass(frozen=True)
class Tukey(Test):
    """Randomised Tukey HSD: how often would runs without a difference lie that far apart?

    Formula: p_ab = (1 + #{max - min of the permuted means >= |mean_a - mean_b|}) / (1 + n)

    In each of n draws the scores of every topic are dealt anew to the runs, and the means of the
    best and the worst are compared. So p already allows for the number of pairs, and is not
    corrected again. Only topics on which every run has a score count; always two-tailed. With two
    runs it is the randomisation test.

    >>> scores = np.array([[0.5, 0.6], [0.5, 0.6], [0.5, 0.6]])
    >>> first, second, random = np.array([0, 0]), np.array([1, 2]), np.random.default_rng(0)
    >>> Tukey(n=99).between(scores, scores, first, second, 2, random).tolist()
    [nan, nan]

    Carterette, Multiple testing in statistical analysis of systems-based information retrieval
    experiments, TOIS 2012; Sakai, Metrics, statistics, tests, 2014.
    """

    null = "it is chance which of all the runs got which of the scores of a topic"
    familywise = True

    n: int = 10_000

    def __post_init__(self) -> None:
        check_draws(self.n)

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        """Rows of differences are pairs of runs of their own, so each is tested alone."""
        one = np.zeros((1, difference.shape[1]))
        alone = np.array([0]), np.array([1])
        source = random.integers(0, 2**63)
        found = [
            self.between(both, both, *alone, tails, np.random.default_rng(source))
            for both in (np.concatenate([row[None, :], one]) for row in difference)
        ]
        return np.concatenate(found) if found else np.zeros(0)

    def between(
        self,
        mine: Floats,
        theirs: Floats,
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        if tails != 2:
            raise ValueError("tukey looks at how far runs lie apart: it has two tails, not 1")
        if mine is not theirs:
            raise ValueError("tukey needs one score for each run: use the basis base")
        scores = mine[:, ~np.isnan(mine).any(axis=0)]
        if not scores.size:
            return np.full(len(first), np.nan)
        mean = scores.mean(axis=1)
        apart = np.abs(mean[first] - mean[second])
        # Sorted, so that the order in which the runs are given does not change what is dealt.
        ranges = np.sort(self._ranges(np.sort(scores, axis=0), random))
        bound = apart - NOISE * np.abs(scores).max()
        as_far = self.n - np.searchsorted(ranges, bound, side="left")
        same = (scores[first] == scores[second]).all(axis=1)
        p: Floats = np.where(same, np.nan, (1 + as_far) / (1 + self.n))
        return p

    def _ranges(self, scores: Floats, random: np.random.Generator) -> Floats:
        """Largest minus smallest mean after each dealing."""
        ranges = np.zeros(self.n)
        step = max(1, CELLS // scores.size)
        for begin in range(0, self.n, step):
            n = min(step, self.n - begin)
            dealt = np.broadcast_to(scores, (n, *scores.shape)).copy()
            random.permuted(dealt, axis=1, out=dealt)
            means = dealt.mean(axis=2)
            ranges[begin : begin + n] = means.max(axis=1) - means.min(axis=1)
        return ranges
