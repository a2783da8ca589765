"""What everything registered promises: a name that comes back; what a contract raises."""

import dataclasses
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from leadline.registry import Named, NamingError, Registry


class Violation(AssertionError):
    """What was promised and does not hold, in a sentence, with the input that shows it."""


def demand(holds: object, message: str) -> None:
    """A Violation if something does not hold."""
    if not holds:
        raise Violation(message)


@contextmanager
def no_errors(what: object, given: object) -> Iterator[None]:
    """An error inside, or what numpy would warn of, becomes a Violation that names the input."""
    try:
        with np.errstate(divide="raise", invalid="raise", over="raise"):
            yield
    except Violation:
        raise
    except Exception as error:
        raise Violation(f"{what} raises {type(error).__name__}: {error}, given {given}") from error


T = TypeVar("T", bound=Named)


def check_name(registry: Registry[T], thing: T | str) -> T:
    """The thing, given as such or by its name; a Violation if its name breaks a promise."""
    if isinstance(thing, str):
        thing = registry.parse(thing)
    cls, text = type(thing), str(thing)
    name = cls.registered_name()
    demand(_is_frozen(cls), f"{name} must be a frozen dataclass: @dataclass(frozen=True)")
    demand(
        registry.classes().get(name) is cls,
        f"{name} is not registered: decorate it with @{registry.kind}s.register and name its file "
        f"as an entry point of the group {registry.group}",
    )
    try:
        again: object = registry.parse(text)
    except NamingError as error:
        again = error
    demand(
        again == thing and type(again) is cls, f"{text!r} must be parsed as {thing!r}: {again!r}"
    )
    demand(str(again) == text, f"{text!r} must print as it was written, not as {str(again)!r}")
    demand(
        pickle.loads(pickle.dumps(thing)) == thing,
        f"{text} must come back from pickle, or other processes cannot use it",
    )
    described = cls.description()
    demand(
        described.endswith((".", "?")), f"{name} needs a docstring whose first line describes it"
    )
    demand(cls.formula(), f"{name} needs a line in its docstring that begins with 'Formula:'")
    return thing


def _is_frozen(cls: type[Any]) -> bool:
    return dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
