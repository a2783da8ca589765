"""The contract of stopping rules holds for ours, and sees what breaks it."""

from dataclasses import dataclass

import pytest

from leadline.contracts import Violation, check_stop
from leadline.judging.standings import Standings
from leadline.judging.stops import Stop, stops
from tests.contracts.examples import every, known


@every(stops)
def test_our_own_rules_keep_their_promises(example: Stop) -> None:
    check_stop(example, n=10)


@dataclass(frozen=True)
class Toy(Stop):
    """Stops at once, with a fault that a test chooses.

    Formula: true
    """

    fault: str = ""

    def reason(self, standing: Standings) -> str | None:
        if self.fault == "fickle":
            asked.append(1)
            return str(len(asked))
        return {"wordless": " ", "goes on": None}.get(self.fault, "enough")

    def left(self, standing: Standings) -> int | None:
        return {"goes on": 0, "owes": -1}.get(self.fault)

    def distance(self, standing: Standings) -> float | None:
        return {"too early": 0.5, "past": -0.5}.get(self.fault, 0.0)


asked: list[int] = []
SAYS = {
    "fickle": "says '1' and then '2'",
    "wordless": "a reason in words",
    "goes on": "leaves no judgments and goes on",
    "owes": "leaves -1 judgments",
    "too early": "although 0.5 is missing",
    "past": "is -0.5 from its end",
}


def test_without_a_fault_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    check_stop(known(monkeypatch, stops, Toy()))


@pytest.mark.parametrize("fault", SAYS)
def test_a_faulty_rule_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    asked.clear()
    with pytest.raises(Violation, match=SAYS[fault]):
        check_stop(known(monkeypatch, stops, Toy(fault)))
