"""The contract of orders holds for ours, and sees what breaks it."""

from dataclasses import dataclass

import numpy as np
import pytest

from leadline.contracts import Violation, check_order
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.judging.order import Choice, FixedOrder, Order, Stepper, orders
from leadline.judging.two_runs import SampledBatches
from tests.contracts.examples import every, known

VARIANTS = """MoffatB(p=0.8,scope=topic,batch=3) MoffatC(p=0.9,batch=4,power=2.0) MaxMean(rate=1.0)
MoffatC(p=0.5,scope=topic)
CertainWinner(p=0.5,chance=0.1) CertainWinner(measure='nDCG@3') Random(seed=3)"""


@every(orders)
def test_our_own_orders_keep_their_promises(example: Order) -> None:
    if isinstance(example, SampledBatches):
        pytest.skip("it names two runs, which not every small collection has: test_two_runs.py")
    check_order(example, n=10)


@pytest.mark.parametrize("name", VARIANTS.split())
def test_so_do_they_with_other_parameters(name: str) -> None:
    check_order(name, n=10)


@dataclass(frozen=True)
class Toy(Order):
    """Pairs as they are numbered, with a fault that a test chooses.

    Formula: by pair
    """

    fault: str = ""

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        stepper = _Faulty(self.fault, runs)
        return stepper if self.fault == "deaf" else self.resume(stepper, judgments)


class _Faulty(FixedOrder):
    def __init__(self, fault: str, runs: Runs) -> None:
        pair = np.unique(runs.pair).astype(np.int64)
        if fault == "by first run":
            pair = np.array(list(dict.fromkeys(runs.pair.tolist())), np.int64)
        if fault == "forgets one":
            pair = pair[1:]
        super().__init__(pair, None, len(runs.pairs))
        self.fault = fault

    def next(self, k: int = 1) -> list[Choice]:
        if self.fault == "greedy":
            k += 1
        if self.fault == "endless":
            return [Choice(int(self.pair[0]), None)] * k if len(self.pair) else []
        chosen = super().next(k)
        if self.fault == "weighs nothing":
            return [Choice(choice.pair, float("nan")) for choice in chosen]
        return chosen

    def tell(self, pair: int, grade: int) -> None:
        if self.fault != "forgets told":
            super().tell(pair, grade)
        if self.fault == "remembers" and grade == 2:
            self.pair[self.at :] = self.pair[self.at :][::-1].copy()

    def spend(self, pair: int) -> None:
        if self.fault != "forgets spent":
            super().spend(pair)

    def release(self, pair: int) -> None:
        if self.fault != "keeps":
            super().release(pair)


SAYS = {
    "greedy": "nothing if 0 pairs",
    "endless": "asks twice for a pair",
    "weighs nothing": "no finite weight",
    "by first run": "runs are given backwards",
    "forgets one": "never asks for d",
    "forgets told": "although it was told",
    "forgets spent": "although it was spent",
    "keeps": "which was released",
    "deaf": "when it starts with judgments",
    "remembers": "that was retracted",
}


def test_without_a_fault_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    check_order(known(monkeypatch, orders, Toy()))


@pytest.mark.parametrize("fault", SAYS)
def test_a_faulty_order_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    with pytest.raises(Violation, match=SAYS[fault]):
        check_order(known(monkeypatch, orders, Toy(fault)))
