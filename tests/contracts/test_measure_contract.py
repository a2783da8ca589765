"""The contract of measures holds for ours, and sees what breaks it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from leadline.contracts import Violation, check_measure
from leadline.data.arrays import Floats, Int64s
from leadline.data.lists import Block, Lists
from leadline.data.scores import Scores
from leadline.measures.measure import Interval, Measure, Weighted, measures
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from tests.contracts.examples import every, known

VARIANTS = """P(rel=2)@5 Recall@2 AP@3 nDCG(gains=exp2)@4 RBP(p=0.7,norm=true)@3 ERR
nDCG(gains=[(1,0.25),(2,1.0)])@4 AP(judged_only=true) RBP(p=0.6,gains=linear,max_grade=2)
DCG(gains=exp2)@3 ERR_IA(norm=false)@4 alpha_DCG(alpha=0.8)@2 infNDCG@5"""


@every(measures)
def test_our_own_measures_keep_their_promises(example: Measure) -> None:
    check_measure(example, n=5)


@pytest.mark.parametrize("name", VARIANTS.split())
def test_so_do_they_with_other_parameters(name: str) -> None:
    check_measure(name, n=5)


@pytest.mark.slow
@every(measures)
def test_our_own_measures_keep_their_promises_on_many(example: Measure) -> None:
    check_measure(example, n=200, seed=7)


@dataclass(frozen=True)
class Toy(P):
    """A measure with a fault that a test chooses.

    Formula: as P
    """

    def interval(self, block: Block, max_grade: int) -> Interval:
        return FAULTS[self.k](*super().interval(block, max_grade), block)  # type: ignore[no-any-return]


def narrow(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value, lower, (value + upper) / 2


def high(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value, value, np.maximum(value, 0.4)


def without_end(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value, lower, np.full_like(upper, np.nan)


def upside_down(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value, upper + 0.1, lower


def widening(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value, lower, 1 + block.n_judged / 9


def dividing(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value / block.length, lower, upper


def in_company(value: Floats, lower: Floats, upper: Floats, block: Block) -> Interval:
    return value / len(value), lower * 0, upper


FAULTS: dict[int, Callable[..., Interval]] = {
    1: narrow,
    2: high,
    3: without_end,
    4: upside_down,
    5: widening,
    6: dividing,
    7: in_company,
}
SAYS = {
    1: r"Toy@1 leaves its interval when .*sketch\(",
    2: "Toy@2 leaves its interval",
    3: "Toy@3 has no interval",
    4: "Toy@4 raises ValueError: a score of Toy@4 lies outside",
    5: "Toy@5 has a wider interval once",
    6: "Toy@6 raises FloatingPointError",
    7: "Toy@7 scores otherwise when",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_interval_is_seen(monkeypatch: pytest.MonkeyPatch, fault: int) -> None:
    with pytest.raises(Violation, match=SAYS[fault]):
        check_measure(known(monkeypatch, measures, Toy(fault)))


def test_the_list_that_is_shown_shows_the_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind `sketch` in the message can be pasted behind the measure."""
    toy = known(monkeypatch, measures, Toy(4))
    with pytest.raises(Violation, match=r"given topic 1: run1 returns"):
        check_measure(toy)
    toy = known(monkeypatch, measures, Toy(3))
    with pytest.raises(Violation) as told:
        check_measure(toy)
    call = str(told.value).split(": ")[1].split(", which is")[0]
    assert eval(f"toy.{call}", {"toy": toy}).endswith("nan]")


@dataclass(frozen=True)
class Uneven(RBP):
    """Weighs ranks otherwise in longer lists.

    Formula: as RBP
    """

    def weights(self, n: int) -> Floats:
        return super().weights(n) / n


@dataclass(frozen=True)
class GrowingTail(RBP):
    """Has a tail that grows.

    Formula: as RBP
    """

    def tail(self, n: Int64s) -> Floats:
        return n / 10


@dataclass(frozen=True)
class Negative(RBP):
    """Weighs ranks below nothing.

    Formula: as RBP
    """

    def weights(self, n: int) -> Floats:
        return -super().weights(n)


@pytest.mark.parametrize(
    ("cls", "says"),
    [(Uneven, "alike in short and long lists"), (GrowingTail, "grow"), (Negative, "0 or more")],
)
def test_faulty_weights_are_seen(
    monkeypatch: pytest.MonkeyPatch, cls: type[Weighted], says: str
) -> None:
    with pytest.raises(Violation, match=says):
        check_measure(known(monkeypatch, measures, cls(p=0.5)))  # type: ignore[call-arg]


@dataclass(frozen=True)
class Unerring(P):
    """Is estimated from a sample and has no error.

    Formula: as P
    """

    needs = "sampling"
    bounded = False


@dataclass(frozen=True)
class Misnamed(P):
    """Scores under the name of another.

    Formula: as P
    """

    def score(self, lists: Lists) -> Scores:
        return replace(super().score(lists), measure="P@3")


@pytest.mark.parametrize(
    ("toy", "says"), [(Unerring(3), "needs a standard error"), (Misnamed(3), "its own name")]
)
def test_faulty_scores_are_seen(monkeypatch: pytest.MonkeyPatch, toy: Measure, says: str) -> None:
    with pytest.raises(Violation, match=says):
        check_measure(known(monkeypatch, measures, toy))
