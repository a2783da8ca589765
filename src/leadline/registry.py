"""Names to objects and back, `RBP(p=0.8)@10`: the grammar, and a registry per kind."""

import dataclasses
import difflib
import importlib
import math
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, get_args

Value = bool | int | float | str | tuple["Value", ...]

LONGEST = 200
"""Names come from command lines and web forms, so their length is bounded before anything else."""

LARGEST = 2**53
"""Whole numbers in names go no further: they stay exact wherever they are reckoned with."""

_TOKEN = re.compile(
    r"""[ \t]*(?:
    (?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.]))
  | (?P<word>[A-Za-z_][A-Za-z0-9_.-]*)
  | (?P<quoted>'[^']*'|"[^"]*")
  | (?P<mark>[()\[\],=@])
    )""",
    re.VERBOSE,
)
_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class NamingError(ValueError):
    """A name that cannot be understood; the message says what to write instead."""


@dataclass(frozen=True)
class Spec:
    """A parsed name: what stands before the bracket, inside it, and behind the @.

    >>> parse_spec("RBP(p=0.8, norm=true)@10")
    Spec(name='RBP', parameters={'p': 0.8, 'norm': True}, at=10)
    >>> str(parse_spec("Stratified( strata = [(10, 1), (90, .44)] )"))
    'Stratified(strata=[(10, 1), (90, 0.44)])'
    >>> parse_spec("HorvitzThompson(of=P@10)").parameters
    {'of': 'P@10'}
    """

    name: str
    parameters: dict[str, Value] = field(default_factory=dict)
    at: int | None = None

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={format_value(value)}" for key, value in self.parameters.items())
        return (
            self.name
            + (f"({inside})" if inside else "")
            + (f"@{self.at}" if self.at is not None else "")
        )


def format_value(value: Value) -> str:
    """A value as the grammar writes it: tuples of tuples in square brackets, flat ones in round."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        inside = ", ".join(format_value(item) for item in value)
        nested = not value or any(isinstance(item, tuple) for item in value)
        return f"[{inside}]" if nested else f"({inside})"
    if isinstance(value, str):
        if _PLAIN_WORD.fullmatch(value) and value.lower() not in ("true", "false"):
            return value
        if ("(" in value or "@" in value) and _is_name(value):
            return value
        return f'"{value}"' if "'" in value else f"'{value}'"
    return repr(value)


def _is_name(text: str) -> bool:
    """Whether it is a name as this grammar writes it, which needs no quotation marks."""
    try:
        return str(parse_spec(text)) == text
    except NamingError:
        return False


def parse_spec(text: str) -> Spec:
    """What a name says, or a NamingError that shows where it stops making sense."""
    if len(text) > LONGEST:
        raise NamingError(f"a name may have {LONGEST} characters, this one has {len(text)}")
    return _Parser(text).spec()


class _Parser:
    """Recursive descent over the tokens of one name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.next = 0

    def _tokens(self) -> list[tuple[str, str]]:
        found, position = [], 0
        end = len(self.text.rstrip())
        while position < end:
            match = _TOKEN.match(self.text, position)
            if match is None or match.lastgroup is None:
                rest = self.text[position:].strip()
                raise NamingError(f"cannot read {rest!r} in the name {self.text!r}")
            found.append((match.lastgroup, match.group(match.lastgroup)))
            position = match.end()
        return found

    def _take(self, wanted: str) -> str | None:
        """The next token if it is that mark, or of that kind; else None and nothing moves."""
        if self.next < len(self.tokens):
            kind, token = self.tokens[self.next]
            if token == wanted if kind == "mark" else kind == wanted:
                self.next += 1
                return token
        return None

    def _need(self, wanted: str, what: str) -> str:
        token = self._take(wanted)
        if token is None:
            found = self.tokens[self.next][1] if self.next < len(self.tokens) else "the end"
            raise NamingError(f"expected {what} but found {found} in the name {self.text!r}")
        return token

    def spec(self) -> Spec:
        found = self._name(self._need("word", "a name"))
        if self.next < len(self.tokens):
            rest = " ".join(token for _, token in self.tokens[self.next :])
            if rest.startswith(","):
                raise NamingError(f"one name at a time (-m P@10 -m AP), found {self.text!r}")
            raise NamingError(f"nothing was expected after the name, found {rest!r}: {self.text!r}")
        return found

    def _name(self, name: str) -> Spec:
        """What follows a name's first word."""
        parameters: dict[str, Value] = {}
        if self._take("(") and not self._take(")"):
            while True:
                key = self._need("word", "a parameter's name")
                self._need("=", f"= after {key}")
                if key in parameters:
                    raise NamingError(f"{key} is given twice in the name {self.text!r}")
                parameters[key] = self._value()
                if self._take(")"):
                    break
                self._need(",", ", or )")
                if self._take(")"):
                    break
        at = None
        if self._take("@"):
            depth = self._need("number", "a whole number after @")
            if not depth.isdigit():
                raise NamingError(f"expected a whole number after @, found {depth}")
            at = self._whole(depth)
        return Spec(name, parameters, at)

    def _value(self) -> Value:
        for opening, closing in ("[]", "()"):
            if self._take(opening):
                return self._items(closing)
        if (number := self._take("number")) is not None:
            whole = re.fullmatch(r"[+-]?[0-9]+", number)
            if not whole and not math.isfinite(float(number)):
                raise NamingError(f"{number} is too large a number in the name {self.text!r}")
            return self._whole(number) if whole else float(number)
        if (quoted := self._take("quoted")) is not None:
            return quoted[1:-1]
        word = self._need("word", "a value")
        if self.next < len(self.tokens) and self.tokens[self.next][1] in ("(", "@"):
            return str(self._name(word))
        return {"true": True, "false": False}.get(word.lower(), word)

    def _whole(self, digits: str) -> int:
        if abs(int(digits)) > LARGEST:
            raise NamingError(f"{digits} is too large a number in the name {self.text!r}")
        return int(digits)

    def _items(self, closing: str) -> Value:
        items: list[Value] = []
        while not self._take(closing):
            items.append(self._value())
            if not self._take(","):
                self._need(closing, f", or {closing}")
                break
        return tuple(items)


class Named:
    """What a registry holds: a frozen dataclass whose class name and fields are its name in text.

    `at` names the field that stands behind the @. Fields that hold their default are left out.
    """

    at: ClassVar[str | None] = None

    def __str__(self) -> str:
        shown: dict[str, Value] = {}
        depth = None
        for item in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            if item.name == self.at:
                depth = value
            elif item.default is dataclasses.MISSING or value != item.default:
                shown[item.name] = value
        return str(Spec(self.registered_name(), shown, depth))

    @classmethod
    def registered_name(cls) -> str:
        """The name in text: the class's."""
        return cls.__name__

    @classmethod
    def description(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    @classmethod
    def formula(cls) -> str:
        """The docstring's line that begins with 'Formula:', without that word."""
        lines = [line.strip() for line in (cls.__doc__ or "").splitlines()]
        formulas = (line.removeprefix("Formula:") for line in lines if line.startswith("Formula:"))
        return next(formulas, "").strip()

    @classmethod
    def signature(cls) -> str:
        """Parameters with their defaults as one writes them: `p, norm=false, @k`."""
        parts = []
        for item in dataclasses.fields(cls):  # type: ignore[arg-type]
            if item.name == cls.at:
                needed = item.default is dataclasses.MISSING
                parts.append(f"@{item.name}" if needed else f"[@{item.name}]")
            elif item.default is dataclasses.MISSING:
                parts.append(item.name)
            else:
                default = "none" if item.default is None else format_value(item.default)
                parts.append(f"{item.name}={default}")
        return ", ".join(parts)


T = TypeVar("T", bound=Named)


def other_names(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that replaces the first word of a name by the registered one.

    >>> other_names({"LB": "LowerBound"})("LB(theta=0.1)")
    'LowerBound(theta=0.1)'
    """

    def replaced(text: str) -> str:
        first = re.match(r"\s*(\w+)", text)
        if first is None or first[1] not in names:
            return text
        return names[first[1]] + text[first.end() :]

    return replaced


class Registry(Generic[T]):
    """The things of one kind by name; `parse` makes one from text, and `str` makes text from it.

    Files of `package` and of `more` register theirs; so do the entry points of the group
    `leadline.<kind>s` of any installed package.
    """

    def __init__(
        self,
        kind: str,
        package: str,
        aliases: Callable[[str], str] | None = None,
        more: tuple[str, ...] = (),
        synonyms: Mapping[str, str] | None = None,
        absent: Mapping[str, str] | None = None,
    ) -> None:
        self.kind = kind
        self.group = f"leadline.{kind}s"
        self._packages = [package, *more]
        self._aliases = aliases
        self._synonyms, self._absent = synonyms or {}, absent or {}
        self._classes: dict[str, type[T]] = {}

    def register(self, cls: type[T]) -> type[T]:
        """Class decorator: makes the class known under its name."""
        name = cls.registered_name()
        first = self._classes.get(name, cls)
        if first.__module__ != cls.__module__:
            raise TypeError(
                f"two {self.kind}s are named {name}: in {first.__module__} and {cls.__module__}"
            )
        self._classes[name] = cls
        return cls

    def classes(self) -> dict[str, type[T]]:
        """Every registered class by name; the first call imports this kind's files and plug-ins."""
        while self._packages:
            self._find(self._packages.pop(0))
        return dict(sorted(self._classes.items()))

    def _find(self, name: str) -> None:
        """Import a package's files, and after the last one the plug-ins."""
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)
        if not self._packages:
            self._load_plugins()

    def _load_plugins(self) -> None:
        """Import what other packages offer; one that fails is told and left out."""
        # Only here, because it takes longer to load than all the files of a kind.
        from importlib.metadata import entry_points

        for plugin in entry_points(group=self.group):
            try:
                plugin.load()
            except Exception as error:
                what = f"{type(error).__name__}: {error}"
                told = f"the plug-in {plugin.name} = {plugin.value} cannot be used: {what}"
                # Not a log's message, which a program may send where nobody looks.
                sys.stderr.write(f"{told}\n")

    def _find_file(self, package: str, name: str) -> None:
        """Import the file of a package that has the class: all of them take much longer."""
        for folder in importlib.import_module(package).__path__:
            for file in sorted(Path(folder).glob("*.py")):
                if f"\nclass {name}(" in file.read_text(encoding="utf-8"):
                    importlib.import_module(f"{package}.{file.stem}")

    def _class(self, name: str) -> type[T] | None:
        """The class of that name; packages are imported one by one until it is found."""
        if name not in self._classes and self._packages:
            self._find_file(self._packages[0], name)
        while name not in self._classes and self._packages:
            self._find(self._packages.pop(0))
        return self._classes.get(name)

    def parse(self, text: str) -> T:
        """The object that a name stands for."""
        if len(text) <= 200 and self._aliases is not None:
            text = self._aliases(text)
        spec = parse_spec(text)
        cls = self._class(spec.name)
        if cls is None:
            raise NamingError(self._unknown(spec))
        values = dict(spec.parameters)
        if spec.at is not None:
            if cls.at is None:
                raise NamingError(f"{spec.name} takes no @, found @{spec.at}")
            if cls.at in values:
                raise NamingError(
                    f"{cls.at} and @ say the same thing: give one of them in {text!r}"
                )
            values[cls.at] = spec.at
        return self._make(cls, values, text)

    def _unknown(self, spec: Spec) -> str:
        """What to say of a name that nothing has: what it may mean, by synonym or by letters."""
        what = f"no {self.kind} is named {spec.name}"
        plain = re.sub("[^a-z0-9]", "", spec.name.lower())
        if plain in self._absent:
            instead = self._absent[plain]
            return (
                f"there is no {spec.name} here: take {instead} (leadline list {self.kind}s shows "
                f"what there is)"
            )
        near = self._synonyms.get(plain) or self._nearest(plain)
        hint = ""
        if near is not None:
            deep = spec.at is not None and self._classes[near].at is not None
            hint = f", did you mean {near}{f'@{spec.at}' if deep else ''}?"
            if plain in self._synonyms:
                hint += f" It is: {self._classes[near].description()}"
        return f"{what}{hint} (leadline list {self.kind}s shows all)"

    def _nearest(self, plain: str) -> str | None:
        lower = {name.lower().replace("_", ""): name for name in self._classes}
        near = difflib.get_close_matches(plain, list(lower), n=1, cutoff=0.5)
        return lower[near[0]] if near else None

    def _taking(self, parameter: str) -> list[str]:
        """The names of those that have such a parameter, unless over two thirds have it."""
        every = self.classes()
        found = [name for name, cls in every.items() if parameter in _hints(cls)]
        return found if 3 * len(found) <= 2 * len(every) else []

    def _make(self, cls: type[T], values: dict[str, Value], text: str) -> T:
        hints = _hints(cls)
        for key in values:
            if key not in hints:
                others = ", ".join(self._taking(key))
                near = difflib.get_close_matches(key.lower(), hints, n=1, cutoff=0.4)
                hint = f", did you mean {near[0]}?" if near and not others else "."
                takes = ", ".join(hints) or "none"
                raise NamingError(
                    f"{cls.registered_name()} has no parameter {key}{hint} It takes: {takes}"
                    + (f". {key} is taken by {others}" if others else "")
                )
        for item in dataclasses.fields(cls):  # type: ignore[arg-type]
            if item.name not in values and item.default is dataclasses.MISSING:
                name = cls.registered_name()
                how = f"@ and a depth: {name}@10" if item.name == cls.at else item.name
                raise NamingError(f"{name} needs {how} ({name}: {cls.signature()})")
        fields = {key: _coerce(value, hints[key], key, text) for key, value in values.items()}
        try:
            return cls(**fields)
        except ValueError as error:
            raise NamingError(f"{text}: {error}") from error


def _hints(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {item.name: hints[item.name] for item in dataclasses.fields(cls)}


def _coerce(value: Value, hint: Any, key: str, text: str) -> Any:
    """The value as the field's type wants it; whole numbers serve as floats, nothing else bends."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        if value in ("none", "None") and type(None) in typing.get_args(hint):
            return None
        for option in typing.get_args(hint):
            try:
                return _coerce(value, option, key, text)
            except NamingError:
                continue
    elif origin is typing.Literal:
        if value in typing.get_args(hint):
            return value
        raise NamingError(
            f"{key} must be {_describe(hint)}, not {format_value(value)}, in {text!r}"
        )
    elif origin is tuple and isinstance(value, tuple):
        inner = typing.get_args(hint)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_coerce(item, inner[0], key, text) for item in value)
        if len(inner) == len(value):
            pairs = zip(value, inner, strict=True)
            return tuple(_coerce(item, wanted, key, text) for item, wanted in pairs)
    elif hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    elif isinstance(hint, type) and type(value) is hint:
        return value
    raise NamingError(f"{key} must be {_describe(hint)}, not {format_value(value)}, in {text!r}")


def _describe(hint: Any) -> str:
    """What a field takes, in words."""
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}
    if hint in words:
        return words[hint]
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return f"one of {', '.join(map(str, inner))}"
    if typing.get_origin(hint) is tuple:
        return "a list such as [(1, 0.5), (2, 1)]"
    return " or ".join(_describe(option) for option in inner if option is not type(None))


def check_choice(name: str, value: object, choices: Any) -> None:
    """A ValueError that lists the choices, those of a Literal, unless the value is one of them."""
    if value not in get_args(choices):
        known = ", ".join(map(str, get_args(choices)))
        raise ValueError(f"`{name}` must be one of {known}, not {value!r}")
