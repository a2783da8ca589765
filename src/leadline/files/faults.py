"""What is wrong with lines that a fast reader would not take, and which lines are sound."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from leadline.files.problems import InputError, Notices, Problem
from leadline.files.source import Source, check_text
from leadline.files.white_space import line_numbers, regular
from leadline.tables.arrays import Int64s
from leadline.tables.names import LONGEST_NAME

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""Python would also take 1_0, Arabic digits and blanks; a run file that has them is broken."""

INFINITE = r"[+-]?(?i:inf|infinity)"
_NUMBER = re.compile(f"{NUMBER}|{INFINITE}")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NO_BREAK = re.compile("[\u00a0\u2007\u202f\u3000]")

Found = tuple[str, str]
"""The code of a fault, and what is wrong."""


def is_number(text: str) -> bool:
    """Whether it is a decimal number, or infinity."""
    return _NUMBER.fullmatch(text) is not None


def whole_number(text: str) -> int | None:
    """The number that digits with perhaps a sign are; None if it is another text, or absurd."""
    if not _WHOLE.fullmatch(text) or len(text.lstrip("+-0")) > 18:
        return None
    return int(text)


def shown(text: str, most: int = 80) -> str:
    """The text in quotation marks, cut where it is long."""
    return f'"{text[:most]}..."' if len(text) > most else f'"{text}"'


def wrong_fields(fields: list[str], wanted: int) -> Found | None:
    """What is wrong with a line that has not as many fields as wanted, or one beyond reason."""
    text = " ".join(fields)
    longest = max(len(field.encode()) for field in fields) if len(text) > LONGEST_NAME / 4 else 0
    if longest > LONGEST_NAME:
        message = f"a field has {longest:,} bytes, more than {LONGEST_NAME:,}: {shown(text)}"
        return "length", message
    if len(fields) == wanted:
        return None
    hint = " (a no-break space does not separate fields)" if _NO_BREAK.search(text) else ""
    return "fields", f"expected {wanted} fields, found {len(fields)}: {shown(text)}{hint}"


def lenient_hint(n_faulty: int, n_sound: int, what: str) -> str:
    """How to leave faulty lines or rows out, where most are sound."""
    if n_sound <= n_faulty:
        return ""
    return f"`lenient` leaves out the {n_faulty:,} faulty {what} and reads the other {n_sound:,}"


def skip_or_stop(
    name: str, problems: list[Problem], n_sound: int, notices: Notices, lenient: bool
) -> None:
    """An InputError with all faults; lenient reading goes on with what is left and says so."""
    if problems and (not lenient or not n_sound):
        raise InputError(problems, lenient_hint(len(problems), n_sound, "lines"))
    if problems:
        notices.add(name, "warning", "skipped", f"{len(problems)} faulty lines were skipped")


@dataclass(frozen=True, eq=False)
class CheckedLines:
    """The sound lines of a file as a regular text, their numbers, and the faults of the others.

    `widths` counts the lines that were looked at by their number of fields.
    """

    text: bytes
    number: Int64s
    problems: list[Problem]
    widths: Counter[int]

    def mostly(self, n_fields: int) -> bool:
        """Whether more than half of the lines have that many fields, which none should."""
        return 2 * self.widths[n_fields] > len(self.number) + len(self.problems)


def check_lines(
    source: Source, fault: Callable[[list[str]], Found | None], fast: Callable[[bytes], bool]
) -> CheckedLines:
    """All lines but blank ones and comments, each sound or with its fault.

    `fast` tells whether all lines of a regular text are sound; they are not looked at one by one
    then. A file that is no text is refused.
    """
    check_text(source)
    parts, numbers, problems = [], [np.zeros(0, np.int64)], []
    widths: Counter[int] = Counter()
    for first, text in _regular_texts(source):
        number = first + line_numbers(text)
        lines = [line for line in text.split(b"\n") if line]
        if lines and not fast(b"\n".join(lines) + b"\n"):
            widths.update(line.count(b" ") + 1 for line in lines)
            found = [_fault(line, fault) for line in lines]
            for at, each in zip(number.tolist(), found, strict=True):
                if each is not None:
                    problems.append(Problem(source.name, at, "error", *each))
            keep = [each is None for each in found]
            number = number[keep]
            lines = [line for line, sound in zip(lines, keep, strict=True) if sound]
        parts += [line + b"\n" for line in lines]
        numbers.append(number)
    if not parts and not problems:
        raise InputError.of(source.name, "empty", "is empty but for comments")
    return CheckedLines(b"".join(parts), np.concatenate(numbers), problems, widths)


def _fault(line: bytes, fault: Callable[[list[str]], Found | None]) -> Found | None:
    try:
        return fault(line.decode().split(" "))
    except UnicodeDecodeError:
        text = shown(line.decode("utf-8", "replace"))
        return "encoding", f"is not UTF-8 text: {text}. Convert the file to UTF-8"


def _regular_texts(source: Source) -> Iterator[tuple[int, bytes]]:
    """Regular texts of whole lines, each with the number of its first line."""
    first = 1
    for text in source.texts():
        yield first, regular(text)
        first += text.count(b"\n")


def numbered_lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The number and the fields of every line that holds something; bad bytes come as U+FFFD."""
    check_text(source)
    for first, text in _regular_texts(source):
        for number, line in enumerate(text.split(b"\n"), first):
            if line:
                yield number, line.decode("utf-8", "replace").split(" ")
