"""Orders by RBP with a p, or by any measure that weighs ranks, given by its name."""

from dataclasses import replace

from leadline.measures.measure import parse_numerator
from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.orders.order import Order


class JudgedBy(Order):
    """An order with the fields `p`, `rel` and `measure`, of which p or measure is given."""

    p: float | None
    rel: int
    measure: str

    @property
    def weighted(self) -> Weighted:
        """RBP with p, or the sum of weights and gains that the measure is, or is a share of."""
        if self.p is not None:
            return RBP(p=self.p, rel=self.rel)
        # The shares of ranks: what grades are worth is for the order to know.
        measure = parse_numerator(self.measure)
        if measure.gains == "binary":
            return measure
        return replace(measure, gains="binary")  # type: ignore[type-var]

    def check_weights(self) -> None:
        """A ValueError unless one of both is given, and makes sense."""
        if (self.p is None) == (not self.measure):
            name = type(self).__name__
            raise ValueError(f"give p, as in {name}(p=0.8), or measure='nDCG@10': one of them")
        self.weighted  # noqa: B018 - a measure that will not do is refused at once
