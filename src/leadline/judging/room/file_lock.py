"""A lock on a file for as long as a process lives, and rights of its owner alone."""

import contextlib
import os
import sys
from pathlib import Path

FAR = 1 << 62
"""Where Windows locks a byte: beyond those that SQLite locks itself, and beyond any content."""


class FileLock:
    """Held until it is closed or the process ends, whatever ends it.

    On the file itself: one beside it could be taken away while it is held. SQLite's own locks are
    of another kind and are not touched, as long as this is closed after all connections.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))

    def take(self) -> bool:
        """Whether the lock is ours now."""
        try:
            if sys.platform == "win32":
                import msvcrt

                os.lseek(self._file, FAR, os.SEEK_SET)
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def is_of_the_database(self) -> bool:
        """Whether the file that is locked is still the one of that name."""
        try:
            return os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """Let go of it."""
        os.close(self._file)


def only_for_the_owner(file: Path) -> None:
    """Make a file that nobody else can read; what SQLite puts beside it has the same rights."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.suppress(OSError):
        file.chmod(0o600)
