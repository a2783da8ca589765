"""Method C of Moffat, Webber and Zobel."""

from dataclasses import dataclass

from leadline.orders.by_weight import ByWeight, Scope
from leadline.orders.order import orders
from leadline.tables.arrays import Floats


@orders.register
@dataclass(frozen=True)
class MethodC(ByWeight):
    """Pairs that weigh most in the runs that are likely to be best and of which most is open.

    Formula: weight(d) = sum_s c_sd * r_s * (base_s + r_s / 2)^power

    Adaptive: a run that is found good draws more judgments. scope=mean takes r and base over all
    topics, as the paper does; scope=topic those of the pair's own topic, which finds more relevant
    documents. With batch=n the weights are refreshed after every n pairs: within a batch an
    assessor's grades do not decide what comes next.

    `measure` in the place of `p` names what weighs ranks, for nDCG the discount of DCG. With graded
    gains base_s adds a document's gain as a share of the best grade's, the best known so far.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    scope: Scope = "mean"
    batch: int = 1
    power: float = 3.0
    rel: int = 1
    measure: str = ""

    def __post_init__(self) -> None:
        self.check()
        if self.power < 0:
            raise ValueError(f"power must not be negative, not {self.power}")

    def factor(self, base: Floats, residual: Floats) -> Floats:
        """What is open, times the middle of the interval to the power."""
        factor: Floats = residual * (base + residual / 2) ** self.power
        return factor
