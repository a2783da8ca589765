"""The grammar of names: `Name(key=value, ...)@depth`."""

import math
import re
from dataclasses import dataclass, field

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
    >>> parse_spec("HT(of=P@10)").parameters
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
