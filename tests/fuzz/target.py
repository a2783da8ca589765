"""Targets: small functions of bytes that raise only if something was found."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from leadline.io.problems import InputError

Check = Callable[[bytes], None]
CORPUS = Path(__file__).parent / "corpus"
TARGETS: dict[str, "Target"] = {}
LONGEST_LINE = 2000
"""Characters of a message's line: what was found is shown in part."""

_ODD = re.compile(r"Traceback|<class '")


@dataclass(frozen=True)
class Target:
    """A check, the folders of the corpus it begins with, and how many of a thousand inputs it gets.

    Dear ones get few.
    """

    name: str
    check: Check
    seeds: tuple[str, ...]
    share: int

    def corpus(self) -> list[bytes]:
        """The inputs that it begins with, always in the same order."""
        files = [path for folder in self.seeds for path in sorted((CORPUS / folder).iterdir())]
        return [path.read_bytes() for path in files]


def target(*seeds: str, share: int) -> Callable[[Check], Check]:
    """Decorator: makes a function of bytes a target under its name."""

    def add(check: Check) -> Check:
        TARGETS[check.__name__] = Target(check.__name__, check, seeds, share)
        return check

    return add


_FOLDER: list[tempfile.TemporaryDirectory[str]] = []


def scratch(data: bytes, name: str = "input") -> Path:
    """A file of this process with that content."""
    if not _FOLDER:
        # In memory where that can be had: a file on disk takes longer to make than to read.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        _FOLDER.append(tempfile.TemporaryDirectory(prefix="fuzz", dir=memory))
    path = Path(_FOLDER[0].name) / name
    path.write_bytes(data)
    return path


@contextmanager
def may_refuse(path: Path | None = None, *, kinds: type[Exception] = InputError) -> Iterator[None]:
    """Lets a refusal pass that is one: it names the file and is short enough to be read."""
    try:
        yield
    except kinds as error:
        text = str(error)
        assert text.strip(), "a refusal without a word"
        assert path is None or text.startswith(str(path)), f"names no file: {text!r:.200}"
        assert max(map(len, text.split("\n"))) <= LONGEST_LINE, f"too long: {text!r:.200}"
        assert not _ODD.search(text), f"speaks Python: {text!r:.200}"
