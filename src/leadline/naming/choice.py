"""One of several words: what a parameter with a Literal type may be."""

from typing import Any, get_args


def check_choice(name: str, value: object, choices: Any) -> None:
    """A ValueError that lists the choices, those of a Literal, unless the value is one of them."""
    if value not in get_args(choices):
        known = ", ".join(map(str, get_args(choices)))
        raise ValueError(f"`{name}` must be one of {known}, not {value!r}")
