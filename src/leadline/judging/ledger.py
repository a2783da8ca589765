"""What was answered, by whom and when: append-only, and safe before the next question is asked."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, get_args

Act = Literal["judge", "skip", "cannot tell", "undo", "adjudicate", "end", "reopen"]
Kind = Literal["person", "machine"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One act: a judgment, a pair skipped, or the undoing of the last act of that person.

    Where several people judge there are more: "cannot tell", a judgment without a grade;
    "adjudicate", an organiser's decision; and "end" and "reopen" of all judging, which are about
    no pair. `asked` is how many pairs the order had handed out by then: enough to lead an order
    that learns from what it asked back to where it was. `seconds` is the time spent on the pair.
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

    def __post_init__(self) -> None:
        if self.act not in get_args(Act):
            raise ValueError(f"act must be one of {', '.join(get_args(Act))}, not {self.act!r}")
        if not isinstance(self.topic, str) or not isinstance(self.doc, str):
            raise ValueError("topic and doc must be text")
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, not {self.kind!r}")
        if self.act in ("judge", "adjudicate") and (type(self.grade) is not int or self.grade < 0):
            raise ValueError(f"a grade must be a whole number of 0 or more, not {self.grade!r}")


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

    A line that was cut off when the machine stopped was never acknowledged and is dropped. One
    session at a time may hold the file: two would ask for the same pairs.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.path = Path(path)
        is_new = not self.path.exists()
        # Unbuffered, so that nothing of a line that failed to reach the disk is written later.
        self._file = self.path.open("ab", buffering=0)
        try:
            self._hold()
            self.entries, self._size = read_whole_lines(self.path)
            self._file.truncate(self._size)
        except BaseException:
            self._file.close()
            if is_new:
                self.path.unlink(missing_ok=True)
            raise
        if is_new:
            _sync_folder(self.path.absolute().parent)

    def _hold(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows has no such lock.
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{self.path}: is in use by another session") from None

    def append(self, entry: Entry) -> None:
        kept = {key: value for key, value in asdict(entry).items() if value not in USUAL}
        line = json.dumps(kept).encode() + b"\n"
        try:
            if self._file.write(line) != len(line):
                raise OSError(f"{self.path}: could not be written in full; is the disk full?")
            os.fsync(self._file.fileno())
        except OSError:
            # Half a line would spoil the next one.
            self._file.truncate(self._size)
            raise
        self._size += len(line)
        super().append(entry)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def read_ledger(path: str | os.PathLike[str]) -> Ledger:
    """The entries of a file, to be looked at or tried out: nothing is written to it."""
    return Ledger(read_whole_lines(Path(path))[0])


def read_whole_lines(path: Path) -> tuple[list[Entry], int]:
    """The entries, and the bytes they take; a line that was cut off at the end is left out."""
    data = path.read_bytes()
    size = data.rfind(b"\n") + 1
    begin = b'{"act": "'
    rest = data[size:]
    # Anything else at the end was not written by a session, and is not ours to cut off.
    if rest[: len(begin)] != begin[: len(rest)]:
        raise ValueError(f"{path}: is no ledger: {rest[:80].decode(errors='replace')}")
    return list(_parse(path, data[:size])), size


def _parse(path: Path, data: bytes) -> Iterable[Entry]:
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            yield Entry(**json.loads(line))
        except (ValueError, TypeError) as error:
            text = line[:80].decode(errors="replace")
            raise ValueError(f"{path}:{number}: is no ledger entry: {text} ({error})") from None


def _sync_folder(folder: Path) -> None:
    """A new file survives a power cut only if its folder reached the disk too."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
