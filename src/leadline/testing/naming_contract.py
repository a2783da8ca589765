"""What everything registered promises: a name that comes back, a description, a formula."""

import dataclasses
import pickle
from typing import Any, TypeVar

from leadline.naming.registry import Named, Registry
from leadline.naming.spec import NamingError
from leadline.testing.violation import demand

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
