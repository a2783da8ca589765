"""The contract of estimators holds for ours, and sees what breaks it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.contracts import Violation, check_estimator
from tests.contracts.examples import every, known


@every(estimators)
def test_our_own_estimators_keep_their_promises(example: Estimator) -> None:
    check_estimator(example, n=8)


@dataclass(frozen=True)
class Toy(Estimator):
    """A constant, with a fault that a test chooses.

    Formula: gain = 1/4
    """

    fault: str = ""

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        guess = evidence.filled(np.full(len(evidence.runs.pair), 0.25), 0.25)
        return FAULTS[self.fault](evidence, guess)


def fine(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    return guess


def impossible(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    return replace(guess, gain=guess.gain + 1)


def long_tail(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    return replace(guess, tail=guess.tail - 1)


def overruling(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    return replace(guess, gain=np.full_like(guess.gain, 0.5))


def by_first_run(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    first = np.where(evidence.runs.entries.run == 0, 0.9, 0.1)
    return evidence.filled(first)


def from_everybody(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    return evidence.filled(np.full_like(guess.gain, 1 / len(evidence.runs.names)))


def below_nothing(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    return replace(guess, standard_error=np.full_like(guess.tail, -1.0))


def refusing(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    raise ValueError("too thin")


def failing(evidence: TrainingData, guess: EstimatedGains) -> EstimatedGains:
    raise KeyError("oops")


FAULTS: dict[str, Callable[[TrainingData, EstimatedGains], EstimatedGains]] = {
    "": fine,
    "impossible": impossible,
    "long tail": long_tail,
    "overruling": overruling,
    "by first run": by_first_run,
    "from everybody": from_everybody,
    "below nothing": below_nothing,
    "refusing": refusing,
    "failing": failing,
}
SAYS = {
    "impossible": r"gains of Toy.* must lie in \[0, 1\]",
    "long tail": "gains beyond a list's end",
    "overruling": "changes the gain of a judged document",
    "by first run": "runs are given backwards",
    "from everybody": "learns from a run that does not contribute",
    "below nothing": "negative standard error",
    "refusing": "refuses 20 of 20",
    "failing": "raises KeyError",
}


def test_without_a_fault_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    check_estimator(known(monkeypatch, estimators, Toy()))


@pytest.mark.parametrize("fault", SAYS)
def test_a_faulty_estimator_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    with pytest.raises(Violation, match=SAYS[fault]):
        check_estimator(known(monkeypatch, estimators, Toy(fault=fault)))
