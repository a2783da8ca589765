"""Method B of Moffat, Webber and Zobel."""

from dataclasses import dataclass

from leadline.orders.by_weight import ByWeight, Scope
from leadline.orders.order import orders
from leadline.tables.arrays import Floats


@orders.register
@dataclass(frozen=True)
class MethodB(ByWeight):
    """Pairs that weigh most in the runs of which most is still open.

    Formula: weight(d) = sum_s c_sd * r_s, r_s = residual of run s

    It depends on which pairs were chosen, not on their grades. scope=mean takes r over all topics,
    scope=topic that of the pair's own topic. With batch=n the weights are refreshed after every n
    pairs.

    `measure` in the place of `p` names what weighs ranks, for nDCG the discount of DCG. Its gains
    change nothing: before it is judged, any document may have the best grade.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    scope: Scope = "mean"
    batch: int = 1
    rel: int = 1
    measure: str = ""

    def __post_init__(self) -> None:
        self.check()

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """What is open."""
        return residual.copy()
