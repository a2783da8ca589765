"""Rank-biased precision, and INSQ with a user who grows more patient."""

from dataclasses import dataclass

import numpy as np

from leadline.data.arrays import Floats, Int64s
from leadline.measures.measure import Gains, Weighted, measures


@measures.register
@dataclass(frozen=True)
class RBP(Weighted):
    """Rate of gain of a reader who continues to the next document with probability p.

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


@measures.register
@dataclass(frozen=True)
class INSQ(Weighted):
    """Rate of gain of a reader who wants t relevant documents and becomes more patient.

    Formula: INSQ = sum_i gain_i / (i + 2t - 1)^2 / S(2t), S(x) = sum_j>=0 1 / (x + j)^2

    From rank i the reader goes on with probability ((i + 2t - 1) / (i + 2t))^2. Unjudged documents
    open the interval by their weight, and so does the tail S(2t + n) / S(2t) beyond the last of n
    documents. With @k only k ranks exist and there is no tail. A topic without relevant documents
    scores 0.

    >>> INSQ(t=1).sketch("1 0 ?")
    '0.3876 [0.3876, 0.8277]'

    Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012.
    """

    t: float
    k: int | None = None
    rel: int = 1
    gains: Gains = "binary"
    max_grade: int | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_t(self.t)

    def weights(self, n: int) -> Floats:
        """1 / (i + 2t - 1)^2 as a share of all such; 0 beyond k."""
        rank = np.arange(n)
        weights: Floats = 1 / (rank + 2 * self.t) ** 2 / squares_from(2 * self.t)
        if self.k is not None:
            weights[rank >= self.k] = 0
        return weights

    def tail(self, n: Int64s) -> Floats:
        """S(2t + n) / S(2t)."""
        if self.k is not None:
            return np.zeros(len(n))
        left: Floats = squares_from(2 * self.t + n.astype(np.float64)) / squares_from(2 * self.t)
        return left


def check_t(t: float) -> None:
    """Raise a ValueError for a number of relevant documents wanted that makes no sense."""
    if not 0.5 <= t < float("inf"):
        raise ValueError(f"t, the relevant documents wanted, must be at least 0.5, not {t}")


def squares_from(x: Floats | float) -> Floats:
    """1 / x^2 + 1 / (x + 1)^2 + ..."""
    from scipy.special import zeta

    total: Floats = zeta(2.0, x)
    return total
