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


@dataclass(frozen=True)
class Option:
    """What the command line needs to know of a parameter beyond its type, default and text.

    names: its names, separated by spaces; "--" and the name of the parameter unless given.
    metavar: stands for the value in help.
    many: it may be repeated, and the function gets a list.
    panel: the heading of help that it stands under.
    default: what holds without it, in words, where the default of the parameter does not tell.
    least: the lowest value of a number.
    path: what may exist under a path, a "file" or a "folder"; "" for either.
    output: it names a file that is written.
    hidden: only Python has it.
    text: what is said of it, where no docstring does: of options that several commands share.
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


class Argument(Option):
    """What is given by its place instead of by name."""


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
        """Whether it must be given."""
        return self.default is inspect.Parameter.empty and not self.option.default

    @property
    def names(self) -> list[str]:
        """Its names on the command line; an argument has the one that stands for its value."""
        if isinstance(self.option, Argument):
            return [self.option.metavar or self.name.upper()]
        return self.option.names.split() or ["--" + self.name.replace("_", "-")]

    @property
    def usual(self) -> str:
        """What holds without it, in words; "" if nothing does."""
        said = self.option.default or self.required
        if said or isinstance(self.default, bool) or self.default in (None, (), ""):
            return self.option.default
        several = isinstance(self.default, tuple)
        return ", ".join(map(str, self.default)) if several else str(self.default)


INPUT = Parameter("inputs", str, Argument(metavar="INPUT", many=True))
"""What stands for the parameters `qrels` and `runs`."""

INPUT_TEXT = (
    "QRELS RUN..., none RUN... where nothing is judged yet, or one collection folder. "
    "A run may be a file, a glob, a folder or -."
)


def declared(function: Callable[..., Any]) -> list[Parameter]:
    """Return the options and arguments that the parameters of a function stand for.

    A TypedDict that is unpacked into the keywords stands for all that it holds.

    >>> def cut(qrels: Any, runs: Any = None, *, pool_depth: int = 10) -> None: ...
    >>> [(name, each.usual) for each in declared(cut) for name in each.names]
    [('INPUT', ''), ('--pool-depth', '10')]
    """
    found: list[Parameter] = []
    for each in inspect.signature(function, eval_str=True).parameters.values():
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            (shared,) = get_args(each.annotation)
            hints = get_type_hints(shared, include_extras=True)
            found += [_parameter(name, hint, None) for name, hint in hints.items()]
        elif each.name == "qrels":
            found.append(INPUT)
        elif not (each.name == "runs" and INPUT in found):
            found.append(_parameter(each.name, each.annotation, each.default))
    return [each for each in found if each.kind is not None and not each.option.hidden]


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    option = Option()
    if get_origin(hint) is Annotated:
        hint, option = get_args(hint)
    return Parameter(name, _kind(hint), option, default)


def _kind(hint: Any) -> Any:
    """The type of one value on the command line, which gives text; None for a function."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(each for each in get_args(hint) if each is not NoneType)
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
_ELSEWHERE = re.compile(r"^as for `(\w+)`[.;:,]? ?")


def described(function: Callable[..., Any]) -> dict[str, str]:
    """Return the texts of the parameters of a function, from its docstring.

    "as for `evaluate`" stands for the text of that verb; what follows it is added.
    """
    texts = _texts(function)
    for each in inspect.signature(function, eval_str=True).parameters.values():
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            texts = _texts(get_args(each.annotation)[0]) | texts
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
        other = _ELSEWHERE.match(text)
        for name in names.split(", "):
            texts[name] = _sentence(text)
            if other is not None:
                import leadline

                there = described(getattr(leadline, other[1])).get(name, "")
                texts[name] = " ".join([there, _sentence(text[other.end() :])]).strip()
    return texts


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def first_sentence(text: str) -> str:
    """Return what --help shows of a text.

    >>> first_sentence("Skip faulty lines. They are counted.")
    'Skip faulty lines.'
    """
    return re.split(r"(?<=[.?])\s+(?=[A-Z`\"])", text)[0]


_WORDS = {
    "measures": "-m",
    "estimators": "-e",
    "map_grades": "--map-grade",
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
