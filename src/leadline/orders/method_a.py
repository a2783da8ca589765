"""Method A of Moffat, Webber and Zobel."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.by_weight import ByWeight
from leadline.orders.order import orders
from leadline.tables.arrays import Floats


@orders.register
@dataclass(frozen=True)
class MethodA(ByWeight):
    """Pairs that weigh most in all runs together; fixed before the first judgment.

    Formula: weight(d) = sum_s c_sd, c_sd = (1 - p) p^(rank - 1)

    `measure` in the place of `p` names what weighs ranks, for nDCG the discount of DCG. Its gains
    change nothing: before it is judged, any document may have the best grade.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    rel: int = 1
    measure: str = ""

    def __post_init__(self) -> None:
        self.check()

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """All runs count the same."""
        return np.ones_like(residual)
