"""Calls that need no parser: every option known, each value what it must be.

Loading a parser of command lines takes as long as evaluating a small run. What is not plain, a
question for help or a mistake for instance, is left to it.
"""

import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from leadline.cli.parameters import Argument, Option, Parameter

NUMBERS: dict[type, re.Pattern[str]] = {
    int: re.compile("[0-9]{1,15}"),
    float: re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?"),
}
REQUIRED = (inspect.Parameter.empty, ...)
"""Defaults of what must be given; typer takes the second where Python wants one."""


class _NotPlain(Exception):
    """Something that a parser must look at."""


def plain_call(signature: inspect.Signature, words: list[str]) -> dict[str, Any] | None:
    """What a command is called with, by parameter; None if that takes a parser."""
    try:
        return _values(signature, words)
    except _NotPlain:
        return None


def _values(signature: inspect.Signature, words: list[str]) -> dict[str, Any]:
    parameters = {name: _described(each) for name, each in signature.parameters.items()}
    values = {name: each.default for name, each in signature.parameters.items()}
    options = dict(_options(parameters))
    given: dict[str, Any] = {}
    places: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            places.append(word)
            continue
        long, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        name = options.get(long)
        if name is None:
            raise _NotPlain
        kind, about = parameters[name]
        if kind is bool:
            if equals or name in given:
                raise _NotPlain
            given[name] = True
            continue
        _add(given, name, kind, about, text if equals else next(rest, ""))
    for name, (kind, about) in parameters.items():
        if isinstance(about, Argument):
            many = get_origin(kind) is list
            for text in places if many else places[:1]:
                _add(given, name, kind, about, text)
            places = [] if many else places[1:]
    values |= given
    if places or any(value in REQUIRED for value in values.values()):
        raise _NotPlain
    return values


def _options(parameters: dict[str, tuple[Any, Parameter]]) -> Iterator[tuple[str, str]]:
    """Every option's name on the command line, with the parameter that it stands for."""
    for name, (_, about) in parameters.items():
        if isinstance(about, Option):
            for each in about.names or ("--" + name.replace("_", "-"),):
                yield each, name


def _described(parameter: inspect.Parameter) -> tuple[Any, Parameter]:
    """The type that values have, None left aside, and what is said about the parameter."""
    kind, about, *_ = get_args(parameter.annotation)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    return kind, about


def _add(given: dict[str, Any], name: str, kind: Any, about: Parameter, text: str) -> None:
    """One more value, which is the only one unless the parameter takes several."""
    if not text or (text.startswith("-") and text != "-") or about.settings.get("callback"):
        raise _NotPlain
    if get_origin(kind) is list:
        given.setdefault(name, []).append(_value(get_args(kind)[0], about, text))
    elif name in given:
        raise _NotPlain
    else:
        given[name] = _value(kind, about, text)


def _value(kind: Any, about: Parameter, text: str) -> Any:
    if kind is str:
        return text
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if kind is Path and text != "-":
        return _path(about, Path(text))
    if kind in NUMBERS and NUMBERS[kind].fullmatch(text):
        value = kind(text)
        low, high = about.settings.get("min"), about.settings.get("max")
        if (low is None or low <= value) and (high is None or value <= high):
            return value
    raise _NotPlain


def _path(about: Parameter, path: Path) -> Path:
    """The path, if it is not there or is what it must be."""
    if path.exists():
        wrong = "dir_okay" if path.is_dir() else "file_okay"
        if about.settings.get(wrong) is False or not os.access(path, os.R_OK):
            raise _NotPlain
    return path
