"""How sure a mean difference is: topic sampling, and unjudged documents, together."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from leadline.completions.bounds import TopicDifferences
from leadline.data.arrays import Bools, Floats
from leadline.data.scores import SCORE_NOISE
from leadline.stats.significance import moments

Statistic = Callable[[Floats, Floats, Floats], Floats]
"""Of the number, mean and standard deviation of differences, one number."""


def least_statistic(differences: TopicDifferences, statistic: Statistic) -> float:
    """The least that a statistic can become, with each topic's difference anywhere in its interval.

    `statistic` takes arrays of the number n of topics, their mean and their standard deviation; it
    must rise with the mean. Begins with every difference at its lower end, which is the least for
    the mean but not always for a t: a difference that lies far above all others adds more to the
    spread. So differences are moved to their upper ends, and undefined topics taken in or left
    out, one after the other for as long as that lowers it; a second start has all at the upper
    ends. NaN if there is no topic.
    """
    low, high = differences.lower, differences.upper
    defined = ~np.isnan(differences.value)
    maybe = ~defined & ~np.isnan(low)
    used = defined | maybe
    if not used.any() or np.isnan(low[defined]).any():
        return np.nan
    low, high, optional = low[used], high[used], maybe[used]
    least = np.inf
    for start in (low, high):
        for inside in (~optional, np.ones(len(low), np.bool_)):
            if inside.any():
                least = min(least, _descend(start, inside.copy(), low, high, optional, statistic))
    return least if np.isfinite(least) else np.nan


def _descend(
    value: Floats, inside: Bools, low: Floats, high: Floats, optional: Bools, statistic: Statistic
) -> float:
    """Change one topic at a time, that which helps most, until none does."""
    value = value.copy()
    now = np.inf
    for _ in range(4 * len(value)):
        n, total, square = inside.sum(), value[inside].sum(), (value[inside] ** 2).sum()
        # For every topic: at its lower end, at its upper end, left out.
        own, own_square = np.where(inside, value, 0.0), np.where(inside, value**2, 0.0)
        rest, rest_total, rest_square = n - inside, total - own, square - own_square
        choices = [
            _of_sums(rest + 1, rest_total + end, rest_square + end**2, statistic)
            for end in (low, high)
        ]
        out = _of_sums(rest, rest_total, rest_square, statistic)
        choices.append(np.where(optional & (rest > 0), out, np.inf))
        stacked = np.stack(choices)
        table = np.where(np.isnan(stacked), np.inf, stacked)
        best = int(np.argmin(table))
        how, topic = divmod(best, len(value))
        if not table.ravel()[best] < now - 1e-12:
            break
        now = float(table.ravel()[best])
        inside[topic] = how < 2
        if how < 2:
            value[topic] = (low, high)[how][topic]
    return now


def _of_sums(n: Floats, total: Floats, square: Floats, statistic: Statistic) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / n
        variance = np.maximum(square - n * mean**2, 0.0) / (n - 1)
        # What is left of equal numbers is the noise of their last digits.
        variance[variance < 1e-24] = 0.0
        return statistic(n, mean, np.sqrt(variance))


class MeanUncertainty(ABC):
    """What is known of a mean difference over topics of the kind at hand, all judged."""

    @abstractmethod
    def interval(self, confidence: float) -> tuple[float, float]:
        """Its ends; NaN where nothing can be said."""

    def bounds(self, confidence: float) -> tuple[float, float]:
        """What it is at least, and what at most, each with this confidence.

        Together an interval of less: 90% where each has 95%.
        """
        return self.interval(2 * confidence - 1)

    @abstractmethod
    def p_above(self, bound: float) -> float:
        """How easily it would look so if it did not lie above the bound; NaN if none can tell."""

    @abstractmethod
    def p_below(self, bound: float) -> float:
        """How easily it would look so if it did not lie below the bound."""


@dataclass(frozen=True)
class TopicVariance(MeanUncertainty):
    """Student's t: centre -+ t(freedom) * error.

    >>> chance = TopicVariance.of(np.array([1.0, 2.0, 3.0, np.nan]))
    >>> [round(end, 4) for end in chance.interval(0.95)]
    [-0.4841, 4.4841]
    """

    centre: float
    error: float
    freedom: float

    @classmethod
    def of(cls, difference: Floats) -> "TopicVariance":
        """Of differences on topics; undefined ones do not count."""
        n, mean, sd = (float(each[0]) for each in moments(difference[None, :]))
        return cls(mean, float(sd / np.sqrt(n)) if n > 1 else np.nan, n - 1)

    @classmethod
    def of_draws(cls, drawn: Floats) -> "TopicVariance":
        """Of [draws, topics]: differences in every draw of what is unjudged.

        error^2 = W + B: W the mean of the squared errors over topics in the m draws, B the variance
        between the draws' means, times (1 + 1/m), as Rubin adds them for values that are imputed
        several times. Their degrees of freedom, topics - 1 and m - 1, are put together
        as Welch and Satterthwaite do. NaN where some draw has no two topics.

        Rubin, Multiple Imputation for Nonresponse in Surveys, 1987.
        """
        centre, error, freedom = combined(drawn[:, None, :])
        return cls(float(centre[0]), float(error[0]), float(freedom[0]))

    def interval(self, confidence: float) -> tuple[float, float]:
        half = float(stdtrit(max(self.freedom, 1.0), (1 + confidence) / 2)) * self.error
        return self.centre - half, self.centre + half

    def p_above(self, bound: float) -> float:
        return _tail(self.centre - bound, self.error, self.freedom)

    def p_below(self, bound: float) -> float:
        return _tail(bound - self.centre, self.error, self.freedom)


def _tail(ahead: float, error: float, freedom: float) -> float:
    if np.isnan(error) or np.isnan(freedom):
        return np.nan
    if error == 0:
        return 0.0 if ahead > SCORE_NOISE else 1.0
    return float(stdtr(freedom, -ahead / error))


def combined(drawn: Floats) -> tuple[Floats, Floats, Floats]:
    """Return centre, error and degrees of freedom of many differences [draws, differences, topics].

    See `TopicVariance.of_draws`.
    """
    m, k, n_topics = drawn.shape
    n, mean, sd = (each.reshape(m, k) for each in moments(drawn.reshape(m * k, n_topics)))
    if m < 2:
        nothing = np.full(k, np.nan)
        return mean.mean(axis=0) if m else nothing, nothing, nothing
    with np.errstate(divide="ignore", invalid="ignore"):
        within = (sd**2 / n).mean(axis=0)
        between = (1 + 1 / m) * mean.var(axis=0, ddof=1)
        total, complete = within + between, n.mean(axis=0) - 1
        lost = within**2 / complete + between**2 / (m - 1)
        freedom = np.where(lost > 0, total**2 / lost, complete)
    known = (n > 1).all(axis=0)
    error = np.where(known, np.sqrt(total), np.nan)
    return mean.mean(axis=0), error, np.where(known, freedom, np.nan)


class NoDifference(MeanUncertainty):
    """A run against itself: the difference is 0 on every topic.

    >>> NoDifference().p_above(0.0), NoDifference().p_above(0.01)
    (0.0, 1.0)
    """

    def interval(self, confidence: float) -> tuple[float, float]:
        return 0.0, 0.0

    def p_above(self, bound: float) -> float:
        return 0.0 if bound <= 0 else 1.0

    def p_below(self, bound: float) -> float:
        return 0.0 if bound >= 0 else 1.0


@dataclass(frozen=True, eq=False)
class WorstCompletion(MeanUncertainty):
    """Student's t with unjudged documents at their worst for whatever is to be shown.

    Every completion of the judgments has a t interval of its own: this one holds all of them.
    """

    differences: TopicDifferences

    def interval(self, confidence: float) -> tuple[float, float]:
        def end(n: Floats, mean: Floats, sd: Floats) -> Floats:
            lower: Floats = mean - stdtrit(np.maximum(n - 1, 1), (1 + confidence) / 2) * sd / (
                np.sqrt(n)
            )
            # A single topic has no t interval.
            return np.where(n > 1, lower, -np.inf)

        return least_statistic(self.differences, end), 0.0 - least_statistic(
            self.differences.turned(), end
        )

    def p_above(self, bound: float) -> float:
        return _worst_p(self.differences, bound)

    def p_below(self, bound: float) -> float:
        return _worst_p(self.differences.turned(), -bound)


def _worst_p(differences: TopicDifferences, bound: float) -> float:
    """The largest p over all completions."""

    def certainty(n: Floats, mean: Floats, sd: Floats) -> Floats:
        ahead = mean - bound
        t = np.where(sd > 0, ahead * np.sqrt(n) / sd, np.sign(ahead) * np.inf)
        # On the scale of p, because t with few topics is worth less. Far out all p are 0.
        sure: Floats = 1 - stdtr(np.maximum(n - 1, 1), -t)
        sure[(sd == 0) & (np.abs(ahead) <= SCORE_NOISE)] = 0.0
        return np.where(n > 1, sure, 0.0)

    return 1 - least_statistic(differences, certainty)
