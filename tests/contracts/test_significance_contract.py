"""The contract of significance tests holds for ours, and sees what breaks it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from leadline.contracts import Violation, check_test
from leadline.data.arrays import Floats
from leadline.stats.significance import T, Tails, Test, tests
from tests.contracts.examples import every, known


@every(tests)
def test_our_own_tests_keep_their_promises(example: Test) -> None:
    check_test(replace(example, n=1000) if hasattr(example, "n") else example)


@dataclass(frozen=True)
class Toy(T):
    """A t-test with a fault that a test chooses.

    Formula: as t
    """

    fault: str = ""

    def p(self, difference: Floats, tails: Tails, random: np.random.Generator) -> Floats:
        return FAULTS[self.fault](T().p(difference, tails, random), difference, tails)


def skip_bad_lines(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return p / 5


def blind(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return np.where(np.isnan(p), np.nan, 0.5)


def large(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return p * 2


def one_for_all(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return p[:1]


def by_neighbour(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return np.sort(p)


def by_first_topic(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return np.where(np.isnan(p), p, np.maximum(p, (difference[:, 0] < -0.5) * 0.9))


def certain_of_nothing(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return np.nan_to_num(p, nan=1.0)


def other_tail(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return p if tails == 2 else 1 - p


def half_tail(p: Floats, difference: Floats, tails: Tails) -> Floats:
    return p if tails == 2 else np.maximum(p - 0.5, 0.06)


FAULTS: dict[str, Callable[[Floats, Floats, Tails], Floats]] = {
    "skip_bad_lines": skip_bad_lines,
    "blind": blind,
    "large": large,
    "one for all": one_for_all,
    "by neighbour": by_neighbour,
    "by first topic": by_first_topic,
    "certain of nothing": certain_of_nothing,
    "other tail": other_tail,
    "half tail": half_tail,
}
SAYS = {
    "skip_bad_lines": "without a true difference significant",
    "blind": "where 30 topics differ by about 1",
    "large": "must lie between 0 and 1",
    "one for all": "one p a row",
    "by neighbour": "rows are tested one by one|instead of",
    "by first topic": "topics come in another order",
    "certain of nothing": "must be NaN where all are 0",
    "other tail": "must not grow",
    "half tail": "must add up to 1 or more",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_test_is_seen(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    with pytest.raises(Violation, match=SAYS[fault]):
        check_test(known(monkeypatch, tests, Toy(fault)))
