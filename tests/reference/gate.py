"""A gate's numbers by plain loops: every completion tried, draws added up one by one."""

import itertools
import math
from collections.abc import Iterator

from scipy import stats


def moments(values: list[float]) -> tuple[int, float, float]:
    """n, mean and standard deviation."""
    n = len(values)
    mean = sum(values) / n
    return n, mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))


def lower_end(values: list[float], confidence: float) -> float:
    """mean - t(n - 1) sd / sqrt(n)."""
    n, mean, sd = moments(values)
    return mean - float(stats.t.ppf((1 + confidence) / 2, n - 1)) * sd / math.sqrt(n)


def p_above(values: list[float], bound: float) -> float:
    """One-sided p of the t-test that the mean lies above the bound."""
    n, mean, sd = moments(values)
    if sd < 1e-12:
        return 0.0 if mean > bound else 1.0
    return float(stats.t.sf((mean - bound) * math.sqrt(n) / sd, n - 1))


def corners(ends: list[tuple[float, float]], optional: list[bool]) -> Iterator[list[float]]:
    """Every choice of ends, with and without the topics that need not count; two at least."""
    choices = [
        (low, high, None) if may else (low, high)
        for (low, high), may in zip(ends, optional, strict=True)
    ]
    for chosen in itertools.product(*choices):
        values = [value for value in chosen if value is not None]
        if len(values) > 1:
            yield values


def of_draws(drawn: list[list[float]]) -> tuple[float, float, float]:
    """Centre, error and degrees of freedom of a mean over topics from completed collections."""
    m, means, within = len(drawn), [], 0.0
    for values in drawn:
        n, mean, sd = moments([value for value in values if not math.isnan(value)])
        means.append(mean)
        within += sd**2 / n / m
    centre = sum(means) / m
    between = (1 + 1 / m) * sum((mean - centre) ** 2 for mean in means) / (m - 1)
    freedom = (within + between) ** 2 / (within**2 / (n - 1) + between**2 / (m - 1))
    return centre, math.sqrt(within + between), freedom
