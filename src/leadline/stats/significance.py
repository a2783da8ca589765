"""Paired significance tests over topics, for many pairs of runs at once, with corrections."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc, ndtr, stdtr

from leadline.data.arrays import Floats, Int64s
from leadline.registry import Named, Registry

Tails = Literal[1, 2]

DEFAULT_TEST = "t"
"""What compare and report ask unless told: it is about means, which is what people compare."""


class Test(Named):
    """A frozen dataclass with fields as parameters; a subclass says how probable differences are.

    Named in lower case, as people write them: `t`, `randomisation(n=1000)`.
    """

    __test__ = False
    """Not a test of pytest's."""

    familywise = False
    """Whether its p-values already allow for the number of pairs."""

    null: ClassVar[str] = ""
    """What is put to the test: that which a small p speaks against, in words."""

    row_by_row = False
    """Whether it takes long, and the p of a row is the same whatever rows are tested with it."""

    by_mean = True
    """Whether it looks at the mean of the differences, not at their ranks or signs."""

    @classmethod
    def registered_name(cls) -> str:
        return cls.__name__.lower()

    @abstractmethod
    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        """One p for each row of differences over topics; NaN cells are topics that do not count.

        One tail asks whether the differences are above 0, two whether they are not 0. NaN where
        nothing can be said: no topic, or no difference anywhere.
        """

    def between(
        self,
        mine: Floats,
        theirs: Floats,
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        """p of each pair: row first[i] of one table of scores against row second[i] of another."""
        return self.p(mine[first] - theirs[second], tails, random)

    def across(
        self,
        tables: Sequence[Floats],
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        """p of each pair over several collections, whose means count alike: row first[i] of each

        table [runs, topics] against row second[i]. Topics are paired within their collection.
        """
        raise ValueError(
            f"{self} does not compare runs over several collections: take t, randomisation or tukey"
        )


def shares(difference: Floats) -> Floats:
    """Return differences over topics as their shares of the mean of each row."""
    n = (~np.isnan(difference)).sum(axis=1, keepdims=True)
    share: Floats = difference / np.maximum(n, 1)
    return share


tests: Registry[Test] = Registry("test", "leadline.stats", str.lower)


@tests.register
@dataclass(frozen=True)
class Wilcoxon(Test):
    """Wilcoxon's signed rank test: symmetry of the differences about 0.

    Formula: z = (V - n(n+1)/4 -+ 1/2) / sqrt(n(n+1)(2n+1)/24 - sum(t^3 - t)/48), p = 1 - Phi(z)

    V is the sum of the ranks of the positive differences. Zeros are dropped, ties share their mean
    rank; the normal approximation has the tie and the continuity correction, as R's wilcox.test
    with exact=FALSE. It does not test that the means are equal: differences that are skewed, though
    their mean is 0, count as a finding far more often than the level says. Two tails double the
    smaller side. Differences are rounded to 12 decimals, so that 0.3 - 0.2 and 0.2 - 0.1 tie; R and
    scipy take them as computed, as decimals=none does, and they do not.

    >>> rows = np.array([[1.0, 2.0, -1.0, 4.0]])
    >>> Wilcoxon().p(rows, 1, np.random.default_rng(0)).round(4).tolist()
    [0.1346]

    Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1945.
    """

    null = "differences lie evenly about 0, not that the means are equal"
    by_mean = False

    decimals: int | None = 12

    def __post_init__(self) -> None:
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            raise ValueError(f"decimals must lie between 0 and 15, not {self.decimals}")

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        if self.decimals is not None:
            difference = np.round(difference, self.decimals)
        size = np.abs(difference)
        size[(size == 0) | np.isnan(size)] = np.inf
        order = np.argsort(size, axis=1, kind="stable")
        ordered = np.take_along_axis(size, order, axis=1)
        rank, ties = _mean_ranks(ordered)
        used = np.isfinite(ordered)
        positive = np.take_along_axis(difference, order, axis=1) > 0
        n = used.sum(axis=1)
        v = np.where(used & positive, rank, 0.0).sum(axis=1)
        tied = np.where(used, ties**2 - 1, 0.0).sum(axis=1)
        spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - tied / 48)
        centred = v - n * (n + 1) / 4
        centred -= 0.5 if tails == 1 else 0.5 * np.sign(centred)
        z = np.divide(centred, spread, out=np.full(len(n), np.nan), where=spread > 0)
        p: Floats = ndtr(-z) if tails == 1 else 2 * ndtr(-np.abs(z))
        return p


def lasting_p(difference: Floats) -> float:
    """One-tailed p of Wilcoxon's test on one row, which never rises when a difference grows.

    V counts the pairs of topics, each with itself too, whose differences have a sum above 0; zeros
    and ties count against. So where differences are the least that they can become, p is never
    below what it will be once all is judged, however often one looks.

    >>> round(lasting_p(np.array([1.0, 2.0, 3.0, 4.0])), 4)
    0.0502
    >>> round(lasting_p(np.array([1.0, 2.0, 3.0, 0.0])), 4)
    0.1006
    """
    n = len(difference)
    above = np.add.outer(difference, difference) > 0
    v = (above.sum() + np.diag(above).sum()) / 2
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return float(ndtr(-(v - n * (n + 1) / 4 - 0.5) / spread))


def _mean_ranks(ordered: Floats) -> tuple[Floats, Floats]:
    """Mean rank and number of equals of every value in rows that are sorted."""
    rows, columns = ordered.shape
    place = np.arange(columns)
    begins = np.ones((rows, columns), np.bool_)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    ends = np.ones((rows, columns), np.bool_)
    ends[:, :-1] = begins[:, 1:]
    reverse = np.where(ends, place, columns)[:, ::-1]
    last = np.minimum.accumulate(reverse, axis=1)[:, ::-1]
    return (first + last) / 2 + 1, (last - first + 1).astype(np.float64)


@tests.register
@dataclass(frozen=True)
class T(Test):
    """Student's paired t-test: mean difference relative to its standard error.

    Formula: t = mean * sqrt(n) / sd with n - 1 degrees of freedom

    Where all differences are the same and not 0, p is 0 (or 1, against the tail). NaN for one
    topic, and where all differences are 0.

    >>> T().p(np.array([[1.0, 2.0, 3.0]]), 2, np.random.default_rng(0)).round(4).tolist()
    [0.0742]

    Student, The probable error of a mean, Biometrika 1908.
    """

    null = "the means over topics are equal"

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        n, mean, sd = moments(difference)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean * np.sqrt(n) / sd
            below = stdtr(n - 1.0, -t if tails == 1 else -np.abs(t))
        p: Floats = np.where(n > 1, tails * below, np.nan)
        return p

    def across(
        self,
        tables: Sequence[Floats],
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        """Return p by the mean of the collections' means and its error within collections.

        The degrees of freedom are those of Welch and Satterthwaite, with one collection n - 1.
        """
        counts, means, sds = zip(*(moments(t[first] - t[second]) for t in tables), strict=True)
        n, mean, sd = np.stack(counts), np.stack(means), np.stack(sds)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = sd**2 / n
            total = variance.sum(axis=0)
            degrees = total**2 / (variance**2 / (n - 1)).sum(axis=0)
            t = mean.sum(axis=0) / np.sqrt(total)
            below = stdtr(degrees, -t if tails == 1 else -np.abs(t))
        # Without any spread the degrees are 0 / 0, and the sign is all that there is.
        below = np.where((total == 0) & (t != 0), np.where((tails == 2) | (t > 0), 0.0, 1.0), below)
        p: Floats = np.where((n > 1).all(axis=0), tails * below, np.nan)
        return np.minimum(p, 1.0)


def moments(difference: Floats) -> tuple[Floats, Floats, Floats]:
    """Number, mean and standard deviation of each row's cells that are not NaN.

    A mean or a standard deviation that is only noise of the last digits is 0.
    """
    used = ~np.isnan(difference)
    n = used.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(used, difference, 0.0).sum(axis=1) / n
        off = np.where(used, difference - mean[:, None], 0.0)
        sd = np.sqrt((off**2).sum(axis=1) / (n - 1))
    noise = 1e-13 * np.where(used, np.abs(difference), 0.0).max(axis=1, initial=0.0)
    mean = np.where(np.abs(mean) > noise, mean, np.where(n > 0, 0.0, np.nan))
    return n, mean, np.where(sd > noise, sd, np.where(n > 1, 0.0, np.nan))


@tests.register
@dataclass(frozen=True)
class Sign(Test):
    """Sign test: number of topics on which a run is better, against a fair coin.

    Formula: p = P(X >= k), X ~ Binomial(n, 1/2), k positive of n differences that are not 0

    Exact. Two tails double the smaller side, at most 1. It does not test that the means are equal:
    a run may be ahead on most topics by little and behind on the others by much.

    >>> Sign().p(np.array([[0.1, 0.2, 0.3, 0.0, -0.1]]), 1, np.random.default_rng(0)).tolist()
    [0.3125]
    """

    null = "each run is ahead on as many topics as the other, not that their means are equal"
    by_mean = False

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        with np.errstate(invalid="ignore"):
            above = (difference > 0).sum(axis=1)
            below = (difference < 0).sum(axis=1)
        n = above + below
        k = above if tails == 1 else np.maximum(above, below)
        tail = np.where(k > 0, bdtrc(np.maximum(k - 1, 0), np.maximum(n, 1), 0.5), 1.0)
        p: Floats = np.where(n > 0, np.minimum(1.0, tails * tail), np.nan)
        return p


EXACT = 12
"""Up to so many differences that are not 0, all 2^12 = 4,096 assignments of signs are tried."""

CELLS = 1 << 22
"""Numbers in a block of sums: 32 MB."""

NOISE = 1e-10
"""Sums of the same numbers in another order differ by less than this share of their size."""


@tests.register
@dataclass(frozen=True)
class Randomisation(Test):
    """Fisher's randomisation test: random swaps of the two runs on each topic.

    Formula: p = (1 + #{|sum of s_t d_t| >= |sum of d_t|}) / (1 + n) over n draws of signs s_t

    Where at most 12 topics differ all assignments of signs are tried and p is exact, the share of
    those that get as far. Otherwise n draws, the same for every pair; the difference seen counts
    as one of them, so p is never 0. One tail leaves out the bars.

    >>> Randomisation().p(np.array([[0.3, 0.2, 0.1]]), 2, np.random.default_rng(0)).tolist()
    [0.25]

    Smucker, Allan and Carterette, A comparison of statistical significance tests for information
    retrieval evaluation, CIKM 2007.
    """

    null = "which of the two runs got which of the two scores of a topic is random"
    row_by_row = True

    n: int = 10_000

    def __post_init__(self) -> None:
        check_draws(self.n)

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        known = np.nan_to_num(difference)
        n_unequal = (known != 0).sum(axis=1)
        p = np.full(len(known), np.nan)
        few = (n_unequal > 0) & (n_unequal <= EXACT)
        if few.any():
            p[few] = _signs_as_far(_packed(known[few]), _all_signs(), tails) / 2**EXACT
        many = n_unequal > EXACT
        if many.any():
            signs = _signs(random.integers(0, 2, (known.shape[1], self.n), dtype=np.int8))
            p[many] = (1 + _signs_as_far(known[many], signs, tails)) / (1 + self.n)
        return p

    def across(
        self,
        tables: Sequence[Floats],
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        """Return p by signs of topics, which weigh as they do in the mean of the collections."""
        rows = np.concatenate([shares(table[first] - table[second]) for table in tables], axis=1)
        return self.p(rows, tails, random)


def check_draws(n: int) -> None:
    """A ValueError if so many draws make no sense."""
    if not 1 <= n <= 10_000_000:
        raise ValueError(f"n, the number of draws, must be between 1 and 10,000,000, not {n}")


def _signs_as_far(difference: Floats, signs: Floats, tails: Tails) -> Floats:
    """For each row, how many columns of signs give a sum as far from 0 as the one seen."""
    slack = NOISE * np.abs(difference).sum(axis=1)
    seen = difference.sum(axis=1)
    bound = (seen if tails == 1 else np.abs(seen)) - slack
    count = np.zeros(len(difference))
    rows = max(1, CELLS // signs.shape[1])
    for begin in range(0, len(difference), rows):
        part = slice(begin, begin + rows)
        sums = difference[part] @ signs
        if tails == 2:
            np.abs(sums, out=sums)
        count[part] = (sums >= bound[part, None]).sum(axis=1)
    return count


def _packed(difference: Floats) -> Floats:
    """The at most 12 differences that are not 0, first, then zeros, on which signs do nothing."""
    order = np.argsort(difference == 0, axis=1, kind="stable")[:, :EXACT]
    packed = np.take_along_axis(difference, order, axis=1)
    wide = np.zeros((len(packed), EXACT))
    wide[:, : packed.shape[1]] = packed
    return wide


def _all_signs() -> Floats:
    bits = np.arange(2**EXACT) >> np.arange(EXACT)[:, None] & 1
    return _signs(bits)


def _signs(bits: npt.NDArray[np.integer[Any]]) -> Floats:
    return bits.astype(np.float64) * 2 - 1


@tests.register
@dataclass(frozen=True)
class Bootstrap(Test):
    """Bootstrap test: mean difference over resampled topics.

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
            p[rows] = (1 + _draws_as_far(shifted, counts, t, tails)) / (1 + self.n)
        p[np.nan_to_num(np.abs(difference)).max(axis=1, initial=0.0) == 0] = np.nan
        return p


def _draws(n_topics: int, n: int, random: np.random.Generator) -> Floats:
    """How often each topic is drawn, one column a draw."""
    return random.multinomial(n_topics, np.full(n_topics, 1 / n_topics), n).T.astype(np.float64)


def _draws_as_far(shifted: Floats, counts: Floats, t: Floats, tails: Tails) -> Floats:
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


@tests.register
@dataclass(frozen=True)
class Tukey(Test):
    """Randomised Tukey HSD: all pairs of runs, by permutations within topics.

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

    null = "which of all the runs got which of the scores of a topic is random"
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
            raise ValueError("tukey needs one score for each run: use `unjudged_as` lower")
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

    def across(
        self,
        tables: Sequence[Floats],
        first: Int64s,
        second: Int64s,
        tails: Tails,
        random: np.random.Generator,
    ) -> Floats:
        """Return p by runs dealt out anew in each topic, which weigh as in the mean."""
        whole = [shares(table[:, ~np.isnan(table).any(axis=0)]) for table in tables]
        scaled = np.concatenate(whole, axis=1)
        # The mean over all columns is then that of the collections, times a number.
        return self.between(scaled, scaled, first, second, tails, random)

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


Correction = Literal["holm", "bonferroni", "bh", "none"]


def corrected(p: Floats, how: Correction) -> Floats:
    """p-values that can be held against the level as if there were only one test.

    `holm` and `bonferroni` bound the chance of any false alarm, `bh` (Benjamini and Hochberg) the
    share of false alarms among those found; `holm` finds all that `bonferroni` does. NaN stays NaN
    and counts as no test.

    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").round(2).tolist()
    [0.03, 0.06, 0.06]
    >>> corrected(np.array([0.01, 0.04, 0.03]), "bonferroni").round(2).tolist()
    [0.03, 0.12, 0.09]
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
    if how == "bonferroni":
        raised = p[order] * m
    elif how == "holm":
        raised = np.maximum.accumulate(p[order] * (m + 1 - rank))
    else:
        raised = np.minimum.accumulate((p[order] * (m / rank))[::-1])[::-1]
    made = np.full(len(p), np.nan)
    made[order] = np.minimum(raised, 1.0)
    return made
