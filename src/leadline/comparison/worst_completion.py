"""The completion of the judgments that speaks most against what a test over topics says."""

from collections.abc import Callable

import numpy as np

from leadline.intervals.topic_differences import TopicDifferences
from leadline.tables.arrays import Bools, Floats

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
