"""The two readings of the paper, and the orders by their names in the tables."""

from dataclasses import dataclass

import numpy as np

from leadline.experiments.passes import PoolingByRun, Ranks
from leadline.orders.difference import Difference
from leadline.orders.max_mean import MaxMean
from leadline.orders.method_a import MethodA
from leadline.orders.method_b import MethodB
from leadline.orders.method_c import MethodC
from leadline.orders.move_to_front import MoveToFront
from leadline.orders.order import Order
from leadline.orders.pooling import Pooling
from leadline.orders.random_order import Random

P = 0.8
METHODS = ("Pooling", "MethodA", "MethodB", "MethodC")
OTHERS = ("Difference", "MoveToFront", "MaxMean(rate=0)", "MaxMean(rate=1)", "Random")


@dataclass(frozen=True)
class ListReading:
    """What the paper leaves open: what orders a list, when weights are refreshed, what pools ties.

    `by_run` pools equal ranks run after run, as the runs come, instead of at random.
    """

    name: str
    ranks: Ranks
    batch: int
    by_run: bool


PAPER = ListReading("paper", "listed", 250, by_run=True)
OURS = ListReading("ours", "score", 1, by_run=False)


def order_of(name: str, reading: ListReading, p: float, random: np.random.Generator) -> Order:
    """The order that a name in the tables stands for."""
    made: dict[str, Order] = {
        "Pooling": PoolingByRun(p=p) if reading.by_run else Pooling(p=p),
        "MethodA": MethodA(p=p),
        "MethodB": MethodB(p=p, batch=reading.batch),
        "MethodC": MethodC(p=p, batch=reading.batch),
        "Difference": Difference(p=p),
        "MoveToFront": MoveToFront(),
        "MaxMean(rate=0)": MaxMean(rate=0.0),
        "MaxMean(rate=1)": MaxMean(rate=1.0),
        "Random": Random(seed=int(random.integers(2**31))),
    }
    return made[name]
