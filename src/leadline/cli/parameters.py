"""Arguments and options as commands describe them, before a parser of command lines is loaded."""

from collections.abc import Callable
from typing import Any, TypedDict, Unpack


class Settings(TypedDict, total=False):
    """What is said about a parameter, in the words of typer."""

    help: str
    metavar: str
    show_default: bool | str
    rich_help_panel: str
    min: float
    max: float
    callback: Callable[[Any], Any]
    is_eager: bool
    dir_okay: bool
    file_okay: bool


class Parameter:
    """Names on the command line, if they are not those of Python, and settings."""

    def __init__(self, *names: str, **settings: Unpack[Settings]) -> None:
        self.names = names
        self.settings = settings


class Option(Parameter):
    """What may be given by name, anywhere."""


class Argument(Parameter):
    """What is given by its place."""
