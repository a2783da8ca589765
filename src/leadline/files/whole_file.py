"""Files that are there whole or not at all: written beside their place, then put there."""

import os
import shutil
import stat
from collections.abc import Iterator
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
    with _told_of(asked, part):
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
    with _told_of(Path(path), part):
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
def _told_of(asked: Path, part: Path) -> Iterator[None]:
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
