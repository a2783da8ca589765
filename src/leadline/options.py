"""Options: declared once, as the typed and documented parameters of the function of a verb.

The command line, its help, shell completion, the man page, the option tables of docs/how-to and the
JSON schema are generated from what `declared` and `described` return. The type and the default
stand in the signature, the text in the docstring; `Annotated[..., Option(...)]` adds what neither
can say.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

OPTIONS_PANEL = "Options"
READING_PANEL = "Input"
TEXTS_PANEL = "Measures that read documents"
WORKERS_PANEL = "Parallelism"
OUTPUT_PANEL = "Output"
ADVANCED_PANELS = (TEXTS_PANEL, READING_PANEL, WORKERS_PANEL)
"""Panels that only --help-all shows."""


@dataclass(frozen=True)
class Option:
    """What the command line needs to know about a parameter beyond its type, default and text.

    names: names of the option, separated by spaces (default: "--" and the name of the parameter).
    metavar: placeholder for the value in help.
    many: the option may be repeated, and the function gets a list.
    panel: heading in help.
    default: default in words, where that of the parameter does not say enough.
    least: lowest value of a number.
    path: what may exist at a path, a "file" or a "folder"; "" for either.
    output: the option names a file that is written.
    hidden: the parameter exists in Python only.
    text: text of an option that several commands share, in place of a line in each docstring.
    advanced: only --help-all lists the option, as it does those of `ADVANCED_PANELS`.
    """

    names: str = ""
    metavar: str | None = None
    many: bool = False
    panel: str = OPTIONS_PANEL
    default: str = ""
    least: int | None = None
    path: Literal["", "file", "folder"] = ""
    output: bool = False
    hidden: bool = False
    text: str = ""
    advanced: bool = False


class Argument(Option):
    """A parameter that is given by position instead of by name."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a verb as the command line takes it.

    kind: bool, int, float, str, Path, dict for a map of grades, or the choices as a tuple.
    """

    name: str
    kind: Any
    option: Option = field(default_factory=Option)
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether the parameter must be given."""
        return self.default is inspect.Parameter.empty and not self.option.default

    @property
    def names(self) -> list[str]:
        """Names on the command line; the name of an argument is its placeholder."""
        if isinstance(self.option, Argument):
            return [self.option.metavar or self.name.upper()]
        return self.option.names.split() or ["--" + self.name.replace("_", "-")]

    @property
    def default_text(self) -> str:
        """The default in words; "" if there is none to show."""
        if self.option.default or self.required or isinstance(self.default, bool):
            return self.option.default
        if self.default is None:
            return ""
        values = self.default if isinstance(self.default, tuple) else (self.default,)
        return ", ".join(map(str, values))


INPUT = Parameter("inputs", str, Argument(metavar="INPUT", many=True))
"""The argument for the parameters `qrels` and `runs` together."""

INPUT_TEXT = (
    "QRELS RUN..., none RUN... if nothing is judged yet, or a collection folder and names of its "
    "runs (default: all). A run may be a file, a glob, a folder or -."
)


def declared(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a function as options and arguments.

    Keywords that unpack a TypedDict are the fields of that TypedDict.

    >>> def cut(qrels: Any, runs: Any = None, *, pool_depth: int = 10) -> None: ...
    >>> [(name, option.default_text) for option in declared(cut) for name in option.names]
    [('INPUT', ''), ('--pool-depth', '10')]
    """
    parameters: list[Parameter] = []
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (shared,) = get_args(parameter.annotation)
            hints = get_type_hints(shared, include_extras=True)
            parameters += [_parameter(field_name, hint, None) for field_name, hint in hints.items()]
        elif name == "qrels":
            parameters.append(INPUT)
        elif not (name == "runs" and INPUT in parameters):
            parameters.append(_parameter(name, parameter.annotation, parameter.default))
    return [one for one in parameters if one.kind is not None and not one.option.hidden]


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    option = Option()
    if get_origin(hint) is Annotated:
        hint, option = get_args(hint)
    return Parameter(name, _kind(hint), option, default)


def _kind(hint: Any) -> Any:
    """Return the type of one value on the command line; None for a function."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(member for member in get_args(hint) if member is not NoneType)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Callable:
        return None
    if origin is Literal:
        return inner if isinstance(inner[0], str) else type(inner[0])
    if origin is Mapping:
        return dict
    if origin in (Iterable, Sequence, list):
        return _kind(inner[0])
    return hint if isinstance(hint, type) and hint.__module__ in ("builtins", "pathlib") else str


_ENTRY = re.compile(r"^(\w+(?:, \w+)*): (.+(?:\n    .+)*)", re.MULTILINE)
_REFERENCE = re.compile(r"^as for `(\w+)`[.;:,]? ?")


def described(function: Callable[..., Any]) -> dict[str, str]:
    """Return the texts of the parameters of a function, from its docstring.

    "as for `evaluate`" refers to the text of that verb; what follows it is appended.
    """
    texts = _texts(function)
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            texts = _texts(get_args(parameter.annotation)[0]) | texts
    if "qrels" in texts:
        texts["inputs"] = INPUT_TEXT
    return texts


def description(function: Callable[..., Any]) -> str:
    """Return the docstring of a function without its parameters."""
    return _ENTRY.sub("", inspect.getdoc(function) or "").strip()


def _texts(documented: Any) -> dict[str, str]:
    texts: dict[str, str] = {}
    for names, text in _ENTRY.findall(inspect.getdoc(documented) or ""):
        text = " ".join(text.split())
        reference = _REFERENCE.match(text)
        for name in names.split(", "):
            texts[name] = _sentence(text)
            if reference is not None:
                import leadline

                referred = described(getattr(leadline, reference[1])).get(name, "")
                texts[name] = f"{referred} {_sentence(text[reference.end() :])}".strip()
    return texts


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def first_sentence(text: str) -> str:
    """Return the part of a text that --help shows.

    >>> first_sentence("Skip faulty lines. They are counted.")
    'Skip faulty lines.'
    """
    return re.split(r"(?<=[.?])\s+(?=[A-Z`\"])", text)[0]


_WORDS = {
    "measures": "-m",
    "estimators": "-e",
    "map_grades": "--map-grade",
    "run_names": "--runs",
    "budgets": "--budget",
    "text_field": "--field",
    "methods": "--method",
    "qrels": "QRELS",
    "runs": "RUN",
}
"""Parameters whose options have other names."""


def in_options(text: str) -> str:
    """A message with Python's parameters, which stand in backquotes, as options.

    >>> in_options("give `pool_depth`, or other `runs`")
    'give --pool-depth, or other RUN'
    """

    def option(match: re.Match[str]) -> str:
        name = match[1]
        return _WORDS.get(name, "--" + name.replace("_", "-"))

    return re.sub(r"`([a-z]+(?:_[a-z]+)*)`", option, text)
