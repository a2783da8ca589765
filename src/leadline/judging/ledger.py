"""What was answered, by whom and when: append-only, replayed into the order that asked."""

import json
import math
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Literal, cast, get_args

from leadline.data.judgments import Judgments
from leadline.io.json_table import loaded
from leadline.io.problems import InputError
from leadline.io.write import LineFile, is_plain
from leadline.judging.order import Choice, Order, Stepper

Act = Literal["judge", "skip", "cannot tell", "undo", "adjudicate", "end", "reopen", "commit"]
ABOUT_NO_PAIR = ("end", "reopen", "commit")
Kind = Literal["person", "machine"]
HIGHEST_GRADE = 32767
"""As in qrels: grades are kept in 16 bits."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One act: a judgment, a pair skipped, or the undoing of the last act of that person.

    Where several people judge there are more: "cannot tell", a judgment without a grade;
    "adjudicate", an organiser's decision; and "end" and "reopen" of all judging, which are about
    no pair. "commit" has the digest of a seed as its note, before anything is judged. `asked` is
    how many pairs the order had handed out by then: enough to lead an order that learns from what
    it asked back to where it was. `seconds` is the time spent on the pair.
    A machine says besides which model it is, by which version of a prompt it was asked, and how
    sure it is, from 0 to 1.
    """

    act: Act
    topic: str
    doc: str
    grade: int | None = None
    who: str = ""
    time: str = ""
    note: str = ""
    asked: int | None = None
    seconds: float | None = None
    kind: Kind = "person"
    model: str = ""
    prompt: str = ""
    confidence: float | None = None

    def __post_init__(self) -> None:
        for name, known in (("act", get_args(Act)), ("kind", get_args(Kind))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, {self._found(name)}")
        for name in ("topic", "doc", "who", "time", "note", "model", "prompt"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be text, {self._found(name)}")
        if self.act not in ABOUT_NO_PAIR and not (self.topic and self.doc):
            raise ValueError("topic and doc must not be empty")
        graded = self.act in ("judge", "adjudicate")
        if not _is_whole(self.grade, HIGHEST_GRADE) and (graded or self.grade is not None):
            wanted = f"a whole number from 0 to {HIGHEST_GRADE}"
            raise ValueError(f"a grade must be {wanted}, {self._found('grade')}")
        if self.asked is not None and not _is_whole(self.asked, sys.maxsize):
            raise ValueError(f"asked must be a whole number, {self._found('asked')}")
        if self.seconds is not None and not _is_time(self.seconds):
            raise ValueError(f"seconds must be a number of 0 or more, {self._found('seconds')}")
        sure = self.confidence
        if sure is not None and not (_is_time(sure) and sure <= 1):
            raise ValueError(f"confidence must be from 0 to 1, {self._found('confidence')}")

    def _found(self, name: str) -> str:
        return f"not {getattr(self, name)!r:.60}"


def _is_whole(value: object, most: int) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_time(value: object) -> bool:
    # Above zero, not-a-number and infinity have no place among times.
    return type(value) in (int, float) and 0 <= cast(float, value) < math.inf


_FIELDS = [each.name for each in fields(Entry)]
_LEAST = ("act", "topic", "doc")
USUAL = ("", None, "person")
"""What goes without saying, and is left out of a line."""


@dataclass
class Ledger:
    """Entries in memory."""

    entries: list[Entry] = field(default_factory=list)

    def append(self, entry: Entry) -> None:
        """Add one; it is kept when this returns."""
        self.entries.append(entry)


class FileLedger(Ledger):
    """Entries in a file, a JSON object a line, each on the disk before `append` returns.

    One session at a time may hold the file: two would ask for the same pairs.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.path = Path(path)
        _refuse_devices(self.path)
        self._file = LineFile(self.path, self._read)

    def _read(self, path: Path) -> int:
        self.entries, size = read_whole_lines(path)
        return size

    def append(self, entry: Entry) -> None:
        kept = {key: value for key, value in asdict(entry).items() if value not in USUAL}
        self._file.append(json.dumps(kept).encode() + b"\n")
        super().append(entry)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_ledger(path: str | os.PathLike[str]) -> Ledger:
    """The entries of a file, to be looked at or tried out: nothing is written to it."""
    return Ledger(read_whole_lines(Path(path))[0])


def read_whole_lines(path: Path) -> tuple[list[Entry], int]:
    """The entries, and the bytes they take; a line that was cut off at the end is left out."""
    _refuse_devices(path)
    data = path.read_bytes()
    size = data.rfind(b"\n") + 1
    begin = b'{"act": "'
    rest = data[size:]
    # Anything else at the end was not written by a session, and is not ours to cut off.
    if rest[: len(begin)] != begin[: len(rest)]:
        text = rest[:80].decode(errors="replace")
        raise InputError.of(str(path), "ledger", f"is no ledger: {text}", data.count(b"\n") + 1)
    return list(_parse(path, data[:size])), size


def _refuse_devices(path: Path) -> None:
    """A device may never end, and a pipe keeps nothing."""
    if not is_plain(path):
        raise InputError.of(str(path), "ledger", "is no plain file to keep answers in")


def _parse(path: Path, data: bytes) -> Iterable[Entry]:
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            yield _entry(line)
        except ValueError as error:
            why = error.problems[0].message if isinstance(error, InputError) else str(error)
            text = line[:80].decode(errors="replace")
            message = f"is no ledger entry: {text} ({why})"
            raise InputError.of(str(path), "ledger", message, number) from None


def _entry(line: bytes) -> Entry:
    row = loaded("", line)
    if not isinstance(row, dict):
        raise ValueError("expected an object {...}")
    unknown, missing = set(row) - set(_FIELDS), [name for name in _LEAST if name not in row]
    if unknown or missing:
        raise ValueError(f"lacks {missing[0]}" if missing else f"has a field {min(unknown)!r:.60}")
    return Entry(**row)


SPENT = -1
"""The outcome of a pair of which nobody could tell."""


class JudgedPairs:
    """The grade of every judged pair, in the order of judging.

    `given` were judged before the session began, and that stands; `spent` are pairs that will not
    be judged.
    """

    def __init__(self, judgments: Judgments | None = None) -> None:
        self.grade: dict[int, int] = {}
        if judgments is not None:
            pairs = judgments.judged.nonzero()[0]
            grades = judgments.grade[pairs].tolist()
            self.grade = dict(zip(pairs.tolist(), grades, strict=True))
        self.given = frozenset(self.grade)
        self.spent: set[int] = set()

    def __len__(self) -> int:
        return len(self.grade)

    def __contains__(self, pair: int) -> bool:
        return pair in self.grade

    @property
    def told(self) -> dict[int, int]:
        """The grades that were given in the session."""
        return {pair: grade for pair, grade in self.grade.items() if pair not in self.given}

    def outcome(self, pair: int) -> int | None:
        """A pair's grade, SPENT, or None while it is neither judged nor spent."""
        return SPENT if pair in self.spent else self.grade.get(pair)

    def tell(self, pair: int, grade: int) -> None:
        """A pair was judged."""
        self.spent.discard(pair)
        self.grade[pair] = grade

    def retract(self, pair: int) -> int | None:
        """Forget a pair's grade, or that it is spent; the grade that it had."""
        self.spent.discard(pair)
        return self.grade.pop(pair, None)


def in_force(entries: list[Entry]) -> list[Entry]:
    """The acts that were not undone, in their order."""
    return [entries[at] for at in in_force_at(entries)]


def in_force_at(entries: list[Entry]) -> list[int]:
    """Where in a ledger the acts are that were not undone."""
    undone: set[int] = set()
    last: dict[tuple[str, str, str], list[int]] = {}
    for at, entry in enumerate(entries):
        acts = last.setdefault((entry.topic, entry.doc, entry.who), [])
        if entry.act != "undo":
            acts.append(at)
            continue
        undone.add(at)
        if acts:
            undone.add(acts.pop())
    return [at for at in range(len(entries)) if at not in undone]


@dataclass
class Replay:
    """Asks a stepper for what a ledger says that it was asked for.

    `ahead` are pairs that were handed out and not yet answered, in that order. Once an answer is
    not among them - the ledger is of another order or of other runs - the rest is only told.
    """

    stepper: Stepper
    order: Order
    handed: int = 0
    ahead: list[Choice] = field(default_factory=list)
    lost: bool = False

    def meet(self, pair: int, asked: int) -> None:
        """Lead the stepper to where this pair has been handed out."""
        if self.lost:
            return
        alone = asked == self.handed + 1 and not self.ahead
        if alone and not self.order.learns_from_asking:
            # It would be handed out now; to look for it would only take time.
            self.handed = asked
            return
        while self.handed < asked:
            chosen = self.stepper.next(1)
            if not chosen:
                break
            self.handed += 1
            self.ahead += chosen
        others = [choice for choice in self.ahead if choice.pair != pair]
        if len(others) < len(self.ahead):
            self.ahead = others
        else:
            self._lose()

    def _lose(self) -> None:
        self.lost = True
        for choice in self.ahead:
            self.stepper.release(choice.pair)
        self.ahead.clear()
