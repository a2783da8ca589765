"""From names to objects and back, for a toy registry, and plug-ins."""

import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leadline.measures.measure import measures
from leadline.pooling.strategies import pools
from leadline.registry import LARGEST, Named, NamingError, Registry

steady = settings(derandomize=True, deadline=None)


toys: Registry[Named] = Registry("toy", "leadline.pooling")


@toys.register
@dataclass(frozen=True)
class Kite(Named):
    """Flies at the end of a line."""

    at: ClassVar[str | None] = "length"

    colour: Literal["red", "blue"]
    length: int | None = None
    weight: float = 0.5
    tail: bool = False
    name: str = "none"
    knots: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise ValueError(f"weight must not be negative, not {self.weight}")


@toys.register
@dataclass(frozen=True)
class Marble(Named):
    """Rolls."""


def test_a_name_becomes_an_object() -> None:
    kite = toys.parse("Kite(colour=red, weight=2, tail=true, knots=[(1, 2), (3, 0.5)])@40")
    assert kite == Kite("red", 40, 2.0, True, knots=((1, 2.0), (3, 0.5)))
    # Whole numbers serve where any number does, and become what the field promises.
    assert isinstance(typing.cast(Kite, kite).weight, float)
    assert toys.parse("Marble") == Marble()


def test_text_leaves_out_defaults_and_keeps_what_has_none() -> None:
    assert str(Kite("red")) == "Kite(colour=red)"
    assert str(Kite("red", 40, weight=0.5, tail=True)) == "Kite(colour=red, tail=true)@40"
    assert str(Marble()) == "Marble"


@steady
@given(
    st.builds(
        Kite,
        st.sampled_from(["red", "blue"]),
        st.none() | st.integers(0, 1000),
        st.floats(0, 1e300),
        st.booleans(),
        st.text(max_size=20).filter(lambda value: "'" not in value or '"' not in value),
        st.lists(st.tuples(st.integers(-LARGEST, LARGEST), st.floats(-1e9, 1e9)), max_size=2).map(
            tuple
        ),
    )
)
def test_an_object_comes_back_from_its_text(kite: Kite) -> None:
    assume(len(str(kite)) <= 200)
    assert repr(toys.parse(str(kite))) == repr(kite)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Kita(colour=red)", "Kita.*did you mean Kite"),
        ("kite(colour=red)", "kite.*did you mean Kite"),
        ("Marbel", "Marbel.*did you mean Marble"),
        ("Kite(color=red)", "color.*did you mean colour"),
        ("Kite(Colour=red)", "Colour.*did you mean colour"),
        ("Marble(size=1)", "Marble has no parameter size. It takes:"),
        ("Marble@5", "Marble takes no @"),
        ("Kite", "Kite needs colour"),
        ("Kite(colour=green)", "colour must be one of red, blue, not green"),
        ("Kite(colour=red, length=5)@6", "length and @"),
        ("Kite(colour=red, weight=heavy)", "weight must be a number, not heavy"),
        ("Kite(colour=red, weight=true)", "weight must be a number, not true"),
        ("Kite(colour=red, weight='0.5')", "weight must be a number"),
        ("Kite(colour=red, tail=1)", "tail must be true or false, not 1"),
        ("Kite(colour=red, tail=yes)", "tail must be true or false, not yes"),
        ("Kite(colour=red, name=5)", "name must be a word, not 5"),
        ("Kite(colour=red, length=2.5)", "length must be"),
        ("Kite(colour=red, knots=5)", "knots must be"),
        ("Kite(colour=red, knots=[(1, 2, 3)])", "knots must be"),
        ("Kite(colour=red, weight=-1)", "weight must not be negative"),
    ],
)
def test_an_error_names_what_was_found_and_what_is_nearest(text: str, says: str) -> None:
    with pytest.raises(NamingError, match=says):
        toys.parse(text)


def test_the_parameter_that_stands_behind_the_at_can_be_named() -> None:
    assert toys.parse("Kite(colour=red, length=5)") == toys.parse("Kite(colour=red)@5")


def test_text_longer_than_200_characters_is_refused() -> None:
    for registry in (toys, measures, pools):
        for text in ("K" * 201, "map" + " " * 300, "P_" + "1" * 5000):
            with pytest.raises(NamingError, match="200"):
                registry.parse(text)


# Plug-ins


class Plugin:
    """An entry point that runs what a test says."""

    name, value = "kite", "tide.kite"

    def __init__(self, load: Callable[[], object]) -> None:
        self.load = load


def offer(monkeypatch: pytest.MonkeyPatch, load: Callable[[], object]) -> Registry[Named]:
    registry: Registry[Named] = Registry("toy", "leadline.pooling")
    groups = {"leadline.toys": [Plugin(load)]}
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: groups[group])
    return registry


def test_a_plug_in_registers_when_its_name_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Registry[Named]] = []
    registry = offer(monkeypatch, lambda: loaded[0].register(Marble))
    loaded.append(registry)
    assert registry.parse("Marble") == Marble()


def test_a_plug_in_that_fails_is_named_and_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = offer(monkeypatch, lambda: {}["gone"])
    registry.register(Marble)
    assert list(registry.classes()) == ["Marble"]
    told = capsys.readouterr().err
    assert "the plug-in kite = tide.kite cannot be used: KeyError: 'gone'" in told


def test_two_of_one_name_are_refused_with_both_homes() -> None:
    registry: Registry[Named] = Registry("toy", "leadline.pooling")
    registry.register(Marble)
    other = type("Marble", (Named,), {"__module__": "tide.marble"})
    with pytest.raises(
        TypeError, match=r"two toys are named Marble: in .*test_registry.* and tide"
    ):
        registry.register(other)
