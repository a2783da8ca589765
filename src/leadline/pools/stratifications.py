"""Stratifications for a budget: sizes that grow, rates that fall along a logistic curve."""

import math
from collections.abc import Iterator
from itertools import pairwise

from leadline.pools.strategy import Strata


def stratifications(depth: int = 100, step: int = 10) -> list[Strata]:
    """All strictly increasing splits of a depth into multiples of a step, each with its rates.

    The share to be judged at rank x is 1 / (1 + exp(b1 * (x - b0))) with b1 = 10 / depth and
    b0 = depth / 2; r'_n is its area over stratum n. The first stratum is judged in full, and what
    that takes is removed from the others in proportion:
    r_n = (r'_n - (s_1 - r'_1) * r'_n / sum_{i>=2} r'_i) / s_n. A single stratum is sampled evenly.

    >>> [[(size, round(100 * rate)) for size, rate in strata] for strata in stratifications()][1]
    [(10, 100), (90, 44)]

    Lipani, Lupu and Hanbury, The curious incidence of bias corrections in the pool, ECIR 2016,
    Table 1. Its Eq. 10 prints 1 - r'_1 where s_1 - r'_1 is meant: only so do the rows come out.
    """
    return [_rates(sizes, depth) for sizes in sorted(_splits(depth, step, 0), key=_table_order)]


def _table_order(sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return len(sizes), sizes


def _splits(depth: int, step: int, above: int) -> Iterator[tuple[int, ...]]:
    """Splits into sizes larger than `above` that grow; the last may be no multiple of the step."""
    if depth > above:
        yield (depth,)
    for first in range(step, depth, step):
        if first > above:
            yield from ((first, *rest) for rest in _splits(depth - first, step, first))


def _rates(sizes: tuple[int, ...], depth: int) -> Strata:
    ends = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    area = [_area(a, b, depth) for a, b in pairwise(ends)]
    if len(sizes) == 1:
        return ((depth, area[0] / depth),)
    taken = sizes[0] - area[0]
    others = sum(area[1:])
    rates = [(part - taken * part / others) / size for part, size in zip(area, sizes, strict=True)]
    return ((sizes[0], 1.0), *zip(sizes[1:], rates[1:], strict=True))


def _area(a: float, b: float, depth: int) -> float:
    """The logistic curve's integral from rank a to rank b."""
    slope, middle = 10 / depth, depth / 2

    def primitive(x: float) -> float:
        return x - math.log1p(math.exp(slope * (x - middle))) / slope

    return primitive(b) - primitive(a)
