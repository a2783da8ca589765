"""A file to which lines are added, each safe before the next thing is done."""

import os
from collections.abc import Callable
from pathlib import Path


class LineFile:
    """Lines of a file; each is on the disk before `append` returns.

    `read` is called with the path once the file is held, and says how many of its bytes are whole
    lines: one that was cut off when the machine stopped was never acknowledged and is dropped. One
    process at a time may hold the file.
    """

    def __init__(self, path: Path, read: Callable[[Path], int]) -> None:
        self.path = path
        is_new = not path.exists()
        # Unbuffered, so that nothing of a line that failed to reach the disk is written later.
        self._file = path.open("ab", buffering=0)
        try:
            self._hold()
            self.size = read(path)
            self._file.truncate(self.size)
        except BaseException:
            self._file.close()
            if is_new:
                path.unlink(missing_ok=True)
            raise
        if is_new:
            _sync_folder(path.absolute().parent)

    def _hold(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows has no such lock.
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{self.path}: is in use by another session") from None

    def append(self, line: bytes) -> None:
        """Add a line, which ends with its newline."""
        try:
            rest = memoryview(line)
            while rest:
                # Of what a disk has no room for, a part may be taken; the rest says why not.
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            # Half a line would spoil the next one.
            self._file.truncate(self.size)
            # A full disk is told by the name of what it left no room for.
            if error.errno is not None:
                error.filename = str(self.path)
            raise
        self.size += len(line)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _sync_folder(folder: Path) -> None:
    """A new file survives a power cut only if its folder reached the disk too."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
