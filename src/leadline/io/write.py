"""Files that are written whole or not at all, and files to which safe lines are added."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file; whoever looks finds the old one or the new one, never half of it."""
    with whole_file(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def whole_file(path: str | os.PathLike[str], *, private: bool = False) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` only when all went well.

    A `private` one is for its owner's eyes only. A link stays a link: the file that it leads to is
    replaced. A device or a pipe is never replaced: it is written to as it is. An OSError names
    `path`, not the file beside it.
    """
    asked = Path(path)
    target = asked.resolve()
    # Not named after the target, whose name may be as long as a name can be.
    part = target.with_name(f".leadline-{os.urandom(8).hex()}")
    with _mode_of(asked, part):
        if not is_plain(asked):
            yield asked
            return
        try:
            # Inside, so that a signal just after it leaves nothing behind.
            mode = 0o600 if private else 0o666
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
            yield part
            if target.exists() and not private:
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            _to_disk(part, os.O_RDWR)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        # Not every system can do this to a folder; the file itself is safe.
        with suppress(OSError):
            _to_disk(target.parent, os.O_RDONLY)


@contextmanager
def whole_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill, which takes the place of `path`, nothing or an empty folder, when done.

    A ValueError if something is there.
    """
    target = Path(path).resolve()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ValueError(f"{path}: is there already; name a folder that is not")
    part = target.with_name(f".leadline-{os.urandom(8).hex()}")
    with _mode_of(Path(path), part):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.mkdir()
            yield part
            part.replace(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def copy_files(source: Path, target: Path) -> None:
    """Copy what a folder holds into another; unlike shutil.copytree, the first failure ends it."""
    for path in sorted(source.rglob("*")):
        if path.is_file():
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


@contextmanager
def _mode_of(asked: Path, part: Path) -> Iterator[None]:
    """An OSError about what is not finished names what was asked for."""
    try:
        yield
    except OSError as error:
        places = [os.fspath(each) for each in (error.filename, error.filename2) if each is not None]
        if error.errno is not None and (
            not places or any(each.startswith(os.fspath(part)) for each in places)
        ):
            error.filename, error.filename2 = os.fspath(asked), None
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """A ValueError if a file cannot be written there, before anything slow is done."""
    asked = Path(path)
    if asked.is_dir():
        raise ValueError(f"{asked}: cannot be written, it is a folder")
    if not asked.exists() and not asked.resolve().parent.is_dir():
        raise ValueError(f"{asked}: cannot be written, {asked.parent} is no folder")


def is_plain(path: Path) -> bool:
    """Whether an ordinary file is there, or nothing yet: no device, pipe or open file's name."""
    # What the shell opened, perhaps to append to it, must not be replaced.
    if os.fspath(path.absolute()).startswith(("/dev/std", "/dev/fd/", "/proc/")):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _to_disk(path: Path, how: int) -> None:
    handle = os.open(path, how)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
            if path.stat().st_size != self.size:
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
