"""What was answered, by whom and when: append-only, and safe before the next question is asked."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Entry:
    """One act: a judgment, a pair skipped, or the undoing of the last act of that person."""

    act: Literal["judge", "skip", "undo"]
    topic: str
    doc: str
    grade: int | None = None
    who: str = ""
    time: str = ""
    note: str = ""


@dataclass
class Ledger:
    """Entries in memory."""

    entries: list[Entry] = field(default_factory=list)

    def append(self, entry: Entry) -> None:
        """Add one; it is kept when this returns."""
        self.entries.append(entry)


class FileLedger(Ledger):
    """Entries in a file, a JSON object a line, each on the disk before `append` returns.

    A line that was cut off when the machine stopped was never acknowledged and is dropped.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.path = Path(path)
        whole = 0
        if self.path.exists():
            data = self.path.read_bytes()
            whole = data.rfind(b"\n") + 1
            self.entries = list(_parse(self.path, data[:whole]))
        self._file = self.path.open("ab")
        if whole < self._file.tell():
            self._file.truncate(whole)

    def append(self, entry: Entry) -> None:
        line = json.dumps(
            {key: value for key, value in asdict(entry).items() if value not in ("", None)}
        )
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        super().append(entry)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _parse(path: Path, data: bytes) -> Iterable[Entry]:
    for number, line in enumerate(data.decode("utf-8").splitlines(), 1):
        try:
            yield Entry(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"{path}:{number}: is no ledger entry: {line[:80]} ({error})"
            ) from None
