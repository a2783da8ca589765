"""A violation names what is wrong and with which input."""

import numpy as np
import pytest

from leadline.contracts.names import Violation, demand, no_errors


def test_what_holds_is_not_told() -> None:
    demand(True, "never seen")
    with pytest.raises(Violation, match="seen"):
        demand([], "seen")


def test_any_error_becomes_a_violation() -> None:
    with (
        pytest.raises(Violation, match="P@3 raises KeyError: 'x', given a list"),
        no_errors("P@3", "a list"),
    ):
        {}["x"]
    with (
        pytest.raises(Violation, match="FloatingPointError: divide by zero"),
        no_errors("P@3", "0"),
    ):
        np.ones(1) / np.zeros(1)


def test_a_violation_inside_stays_what_it_is() -> None:
    with pytest.raises(Violation, match=r"^as it was$"), no_errors("P@3", "a list"):
        raise Violation("as it was")
