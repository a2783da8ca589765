"""What a worker runs, so that results of two versions are never mixed."""

import hashlib
import platform
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import leadline

BESIDE = ("numpy", "scipy", "polars")
"""Packages whose versions may change the last digits."""


@dataclass(frozen=True)
class Program:
    """The version of Leadline with a digest of its source, and those of what it computes with."""

    version: str
    source: str
    beside: tuple[tuple[str, str], ...]

    @property
    def leadline(self) -> str:
        """Which Leadline it is, in words."""
        return f"{self.version} ({self.source})"

    def differences(self, other: "Program") -> list[str]:
        """In words what another has that is not as here, but for Leadline itself."""
        theirs = dict(other.beside)
        return [
            f"{name} {theirs.get(name, 'missing')} there, {ours} here"
            for name, ours in self.beside
            if theirs.get(name) != ours
        ]


@lru_cache(maxsize=1)
def this_program() -> Program:
    """What runs in this process."""
    root = Path(leadline.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode())
        # Line ends may differ from system to system.
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    beside = [("Python", ".".join(platform.python_version_tuple()[:2]))]
    beside += [(name, _version(name)) for name in BESIDE]
    return Program(leadline.__version__, digest.hexdigest(), tuple(beside))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
