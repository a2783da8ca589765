"""An object of every registered class, made from nothing but the types of its fields."""

import dataclasses
import typing
from itertools import product
from typing import Any

import pytest

from leadline.registry import Named, Registry

VALUES: dict[Any, list[Any]] = {
    int: [3, 6],
    float: [0.5],
    str: ["P@3", "run1,run2"],
    tuple: [((2, 1.0), (5, 0.4))],
}


def example_of(cls: type[Any]) -> Any:
    """The first combination of values for the fields without a default that the class takes.

    A class that wants one of several fields, each None without it, is given the first.
    """
    hints = typing.get_type_hints(cls)
    needed = [item.name for item in dataclasses.fields(cls) if item.default is dataclasses.MISSING]
    if not needed:
        optional = [item.name for item in dataclasses.fields(cls) if item.default is None]
        needed = [name for name in optional[:1] if not _made(cls)]
    choices = [_values(hints[name]) for name in needed]
    for values in product(*choices):
        try:
            return cls(**dict(zip(needed, values, strict=True)))
        except ValueError:
            continue
    raise AssertionError(f"no example of {cls.__name__}: {cls.signature()}")


def _made(cls: type[Any]) -> bool:
    try:
        cls()
    except ValueError:
        return False
    return True


def _values(hint: Any) -> list[Any]:
    if type(None) in typing.get_args(hint):
        hint = next(each for each in typing.get_args(hint) if each is not type(None))
    kind = typing.get_origin(hint) or hint
    return list(typing.get_args(hint)) if kind is typing.Literal else VALUES[kind]


def every(registry: Registry[Any]) -> pytest.MarkDecorator:
    """A test for every registered class, each with an example of it."""
    examples = [pytest.param(example_of(cls), id=name) for name, cls in registry.classes().items()]
    return pytest.mark.parametrize("example", examples)


def known(monkeypatch: pytest.MonkeyPatch, registry: Registry[Any], example: Named) -> Any:
    """The example, its class registered until the test is over."""
    cls = type(example)
    monkeypatch.setitem(registry._classes, cls.registered_name(), cls)
    return example
