"""Rank-biased precision."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.gains import Gains
from leadline.measures.measure import measures
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats, Int64s


@measures.register
@dataclass(frozen=True)
class RBP(Weighted):
    """Rate at which a reader finds gain who goes on to the next document with probability p.

    Formula: RBP = (1 - p) * sum_i gain_i * p^(i-1)

    Unjudged documents open the interval by their weight, and so does the tail p^n beyond the last
    of n documents, which no judgment of listed documents closes. With @k only k ranks exist and
    there is no tail; norm=true divides by 1 - p^k so that the k weights sum to 1. A topic without
    relevant documents scores 0. p has no default because tools disagree on it.

    >>> RBP(p=0.8).sketch("0 1 1 0 0 1 ? 0 0 1")
    '0.3804 [0.3804, 0.5402]'
    >>> RBP(p=0.9).sketch("0 0 0")
    '0.0000 [0.0000, 0.7290]'

    Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 2008.
    """

    p: float
    k: int | None = None
    norm: bool = False
    rel: int = 1
    gains: Gains = "binary"
    max_grade: int | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ValueError(f"p must lie between 0 and 1, not {self.p}")
        if self.norm and self.k is None:
            raise ValueError("norm=true needs a depth: RBP(p=0.8, norm=true)@10")

    def weights(self, n: int) -> Floats:
        """(1 - p) p^(i-1), 0 beyond k."""
        rank = np.arange(n)
        weights: Floats = (1 - self.p) * self.p ** rank.astype(np.float64)
        if self.k is not None:
            weights[rank >= self.k] = 0
            if self.norm:
                weights /= 1 - self.p**self.k
        return weights

    def tail(self, n: Int64s) -> Floats:
        """p^n: the reader does not stop where the list ends, so this mass stays open."""
        return np.zeros(len(n)) if self.k is not None else self.p ** n.astype(np.float64)
