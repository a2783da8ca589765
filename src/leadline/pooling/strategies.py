"""Pool strategies: depth pools, and stratified, sampled and two-strata pools."""

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.draw import draw_pairs
from leadline.data.judgments import Judgments
from leadline.data.pool import BatchDraws, Pool
from leadline.data.runs import Runs
from leadline.registry import Named, Registry

Strata = tuple[tuple[int, float], ...]
"""Sizes and rates, from the top of the lists down."""


class PoolStrategy(Named):
    """A frozen dataclass with fields as parameters; a subclass says which pairs it takes.

    `in_batches` tells whether it draws again when the first pairs are judged.
    """

    in_batches: ClassVar[bool] = False

    @property
    @abstractmethod
    def layers(self) -> Strata:
        """The strata by best rank over the runs, each with its rate."""

    @property
    def last_rank(self) -> int | None:
        """The last rank that can make a pair a member; None where every rank may."""
        return sum(size for size, _ in self.layers) or None

    @abstractmethod
    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The pairs to judge; the same for the same runs and seed, whatever their order."""

    def next_batch(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> Pool:
        """The pairs drawn so far and those to judge next, by what the judgments so far say.

        A strategy that needs only ranks has one batch.
        """
        if previous is not None:
            raise ValueError(f"{self} is drawn at once: there is no batch after the first")
        return self.pool(runs, seed)

    def expected_errors(
        self, runs: Runs, seed: int, judgments: Judgments | None, previous: Pool | None
    ) -> dict[int, float]:
        """The standard error to expect, by the number of judgments; empty where nothing is said."""
        return {}

    def batch_draws(self, runs: Runs, seed: int, judgments: Judgments, pool: Pool) -> BatchDraws:
        """Batch by batch how a pool came about, all of it judged."""
        raise ValueError(f"{self} draws no batches by what was judged before")

    @property
    def error_of(self) -> str:
        """What that error is of, in words; empty where nothing is said."""
        return ""


pools: Registry[PoolStrategy] = Registry(
    "pool", "leadline.pooling", more=("leadline.judging", "leadline.labels")
)


@pools.register
@dataclass(frozen=True)
class Depth(PoolStrategy):
    """Every pair that some run ranks at depth d or better.

    Formula: member if best rank over the runs <= d

    The seed plays no part.
    """

    d: int

    def __post_init__(self) -> None:
        if self.d < 1:
            raise ValueError(f"depth must be at least 1, not {self.d}")

    @property
    def layers(self) -> Strata:
        """One stratum, taken whole."""
        return ((self.d, 1.0),)

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The union of the runs' first d documents."""
        member = np.zeros(len(runs.pairs), np.bool_)
        member[runs.pair[runs.entries.rank <= self.d]] = True
        inclusion = member.astype(np.float64)
        stratum = np.where(member, 0, -1).astype(np.int16)
        return Pool(runs.pairs, member, inclusion, stratum, str(self), seed)


@pools.register
@dataclass(frozen=True)
class Stratified(PoolStrategy):
    """Pairs by strata of their best rank over the runs, each stratum sampled at its own rate.

    Formula: member if u(seed, topic, doc) < rate of the stratum that holds the best rank

    strata=[(10, 1), (90, 0.44)] takes everything that some run has in its first 10, and 44 in a
    hundred of what the best rank of is 11 to 100. size=fixed draws the same number without chance:
    the rate times the stratum's size in each topic, those with the smallest u; such a pool is not
    nested when a run is removed.

    Lipani, Lupu and Hanbury, The curious incidence of bias corrections in the pool, ECIR 2016.
    """

    strata: Strata
    size: Literal["expected", "fixed"] = "expected"

    def __post_init__(self) -> None:
        if not self.strata:
            raise ValueError("a pool needs at least one stratum: strata=[(10, 1), (90, 0.44)]")
        for depth, rate in self.strata:
            if depth < 1 or not 0 < rate <= 1:
                raise ValueError(
                    f"a stratum is (size of 1 or more, rate in (0, 1]), not {(depth, rate)}"
                )

    @property
    def layers(self) -> Strata:
        """The strata as given."""
        return self.strata

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """The members drawn, with the stratum and rate of all that could have been."""
        return draw_strata(runs, self.strata, seed, str(self), self.size == "fixed")


@pools.register
@dataclass(frozen=True)
class UniformSample(PoolStrategy):
    """Each pair of the depth pool with the same probability.

    Formula: member if best rank <= d and u(seed, topic, doc) < rate
    """

    d: int
    rate: float

    def __post_init__(self) -> None:
        Stratified(((self.d, self.rate),))

    @property
    def layers(self) -> Strata:
        """One stratum."""
        return ((self.d, self.rate),)

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """Its members drawn."""
        return draw_strata(runs, self.layers, seed, str(self))


@pools.register
@dataclass(frozen=True)
class TwoStrata(PoolStrategy):
    """All pairs to depth d, and a random sample of those below it to depth `deep`.

    Formula: member if best rank <= d, or best rank <= deep and u(seed, topic, doc) < rate
    """

    d: int
    deep: int
    rate: float

    def __post_init__(self) -> None:
        if self.deep <= self.d:
            raise ValueError(f"deep must be below d: {self.deep} is not more than {self.d}")
        Stratified(((self.d, 1.0), (self.deep - self.d, self.rate)))

    @property
    def layers(self) -> Strata:
        """One stratum that is taken whole, one that is sampled."""
        return ((self.d, 1.0), (self.deep - self.d, self.rate))

    def pool(self, runs: Runs, seed: int = 0) -> Pool:
        """Members drawn from both."""
        return draw_strata(runs, self.layers, seed, str(self))


def draw_strata(runs: Runs, strata: Strata, seed: int, name: str, fixed: bool = False) -> Pool:
    """The pool of some strata; the draw of a pair depends on nothing but the seed and its name."""
    ends = np.cumsum([size for size, _ in strata])
    stratum = np.searchsorted(ends, runs.best_rank).astype(np.int16)
    outside = stratum == len(strata)
    rate = np.array([*(rate for _, rate in strata), 0.0])[stratum]
    member = rate == 1.0
    chance = np.flatnonzero((rate > 0) & (rate < 1))
    number = draw_pairs(seed, runs.pairs, chance)
    if fixed:
        group = runs.pairs.topic[chance].astype(np.int64) * len(strata) + stratum[chance]
        member[chance] = _smallest(group, rate[chance], number)
    else:
        member[chance] = number < rate[chance]
    stratum[outside] = -1
    return Pool(runs.pairs, member, rate, stratum, name, seed)


def _smallest(group: Int64s, rate: Floats, number: Floats) -> Bools:
    """In each group, rate times its size of the pairs, those with the smallest numbers."""
    order = np.lexsort((number, group))
    first = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) != 0])[: len(group)])
    size = np.diff(np.append(first, len(group)))
    place = np.arange(len(group)) - np.repeat(first, size)
    wanted = np.rint(np.repeat(size, size) * rate[order])
    chosen = np.zeros(len(group), np.bool_)
    chosen[order] = place < wanted
    return chosen


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
