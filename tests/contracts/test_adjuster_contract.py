"""The contract of adjusters holds for ours, and sees what breaks it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from leadline.completions.adjuster import Adjuster, UnpooledRuns, adjusters
from leadline.contracts import Violation, check_adjuster
from leadline.data.arrays import Floats
from tests.contracts.examples import every, known


@every(adjusters)
def test_our_own_adjusters_keep_their_promises(example: Adjuster) -> None:
    check_adjuster(example, n=12)


@dataclass(frozen=True)
class Toy(Adjuster):
    """A constant, with a fault that a test chooses.

    Formula: adjusted = u_r + 0.1
    """

    fault: str = ""

    def amounts(self, evidence: UnpooledRuns) -> Floats:
        return FAULTS[self.fault](evidence)

    def explain(self, evidence: UnpooledRuns) -> list[str]:
        return [] if self.fault == "silent" else ["assumes nothing"]


def tenth(evidence: UnpooledRuns) -> Floats:
    return np.full(len(evidence.new_names), 0.1)


def one_for_all(evidence: UnpooledRuns) -> Floats:
    return np.array([0.1])


def without_end(evidence: UnpooledRuns) -> Floats:
    return np.full(len(evidence.new_names), np.inf)


def by_place(evidence: UnpooledRuns) -> Floats:
    return np.arange(len(evidence.new_names)) / 10


def by_company(evidence: UnpooledRuns) -> Floats:
    return np.full(len(evidence.new_names), 0.1 / len(evidence.new_names))


def refusing(evidence: UnpooledRuns) -> Floats:
    raise ValueError("too thin")


FAULTS: dict[str, Callable[[UnpooledRuns], Floats]] = {
    "": tenth,
    "silent": tenth,
    "one for all": one_for_all,
    "without end": without_end,
    "by place": by_place,
    "by company": by_company,
    "refusing": refusing,
}
SAYS = {
    "silent": "must say what it assumes",
    "one for all": "must give each of",
    "without end": "must give each of",
    "by place": "runs are given backwards",
    "by company": "runs are given without",
    "refusing": "refuses 20 of 20",
}


def test_without_a_fault_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    check_adjuster(known(monkeypatch, adjusters, Toy()))


@pytest.mark.parametrize("fault", SAYS)
def test_a_faulty_adjuster_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    with pytest.raises(Violation, match=SAYS[fault]):
        check_adjuster(known(monkeypatch, adjusters, Toy(fault)))
