"""The contract of names holds for everything registered, and sees what breaks it."""

from dataclasses import dataclass

import pytest

from leadline.contracts.names import Violation, check_name
from leadline.listing import KINDS
from leadline.measures.measure import measures
from leadline.measures.precision import P
from leadline.registry import Named, Registry
from tests.contracts.examples import example_of, known


@pytest.mark.parametrize("kind", KINDS)
def test_our_own_names_keep_their_promises(kind: str) -> None:
    for cls in KINDS[kind].classes().values():
        check_name(KINDS[kind], example_of(cls))


def test_a_name_stands_for_the_thing() -> None:
    assert check_name(measures, "P@3") == P(3)


toys: Registry[Named] = Registry("toy", "leadline.pooling")


@dataclass(frozen=True)
class Unformulated(Named):
    """Has a description."""


@dataclass(frozen=True)
class Undescribed(Named):
    """

    Formula: 1
    """


@dataclass
class Thawed(Named):
    """Changes.

    Formula: 1
    """


@dataclass(frozen=True)
class Illegible(Named):
    """Prints a word that is no parameter.

    Formula: 1
    """

    def __str__(self) -> str:
        return "Illegible(x=1)"


@dataclass(frozen=True)
class Forgetful(Named):
    """Loses its number when printed.

    Formula: n
    """

    n: int = 1

    def __str__(self) -> str:
        return "Forgetful"


@pytest.mark.parametrize(
    ("toy", "says"),
    [
        (Unformulated(), "begins with 'Formula:'"),
        (Undescribed(), "first line describes it"),
        (Thawed(), "must be a frozen dataclass"),
        (Illegible(), "has no parameter x"),
        (Forgetful(2), "must be parsed as"),
    ],
)
def test_a_broken_promise_is_told(monkeypatch: pytest.MonkeyPatch, toy: Named, says: str) -> None:
    with pytest.raises(Violation, match=says):
        check_name(toys, known(monkeypatch, toys, toy))


def test_what_is_not_registered_is_told_how_to_be() -> None:
    with pytest.raises(Violation, match=r"@toys\.register.*group leadline\.toys"):
        check_name(toys, Unformulated())
