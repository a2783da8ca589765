"""The paired randomisation test, for many pairs of runs at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from leadline.comparison.hypothesis_test import Tails, Test, tests
from leadline.tables.arrays import Floats

EXACT = 12
"""Up to so many differences that are not 0, all 2^12 = 4,096 assignments of signs are tried."""

CELLS = 1 << 22
"""Numbers in a block of sums: 32 MB."""

NOISE = 1e-10
"""Sums of the same numbers in another order differ by less than this share of their size."""


@tests.register
@dataclass(frozen=True)
class Randomisation(Test):
    """Fisher's randomisation test: how often does chance, swapping the runs, get as far?

    Formula: p = (1 + #{|sum of s_t d_t| >= |sum of d_t|}) / (1 + n) over n draws of signs s_t

    Where at most 12 topics differ all assignments of signs are tried and p is exact, the share of
    those that get as far. Otherwise n draws, the same for every pair; the difference seen counts
    as one of them, so p is never 0. One tail leaves out the bars.

    >>> Randomisation().p(np.array([[0.3, 0.2, 0.1]]), 2, np.random.default_rng(0)).tolist()
    [0.25]

    Smucker, Allan and Carterette, A comparison of statistical significance tests for information
    retrieval evaluation, CIKM 2007.
    """

    null = "it is chance which of the two runs got which of the two scores of a topic"
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
            p[few] = _as_far(_packed(known[few]), _all_signs(), tails) / 2**EXACT
        many = n_unequal > EXACT
        if many.any():
            signs = _signs(random.integers(0, 2, (known.shape[1], self.n), dtype=np.int8))
            p[many] = (1 + _as_far(known[many], signs, tails)) / (1 + self.n)
        return p


def check_draws(n: int) -> None:
    """A ValueError if so many draws make no sense."""
    if not 1 <= n <= 10_000_000:
        raise ValueError(f"n, the number of draws, must be between 1 and 10,000,000, not {n}")


def _as_far(difference: Floats, signs: Floats, tails: Tails) -> Floats:
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
