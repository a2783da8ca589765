"""What was computed and written before, so that a second call has nothing to do."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import leadline
from leadline.files.whole_file import write_whole

NAME = "cache.json"
SKINS = ("verbs", "web", "cli")
"""Rooms that no experiment computes with: their changes leave results as they are."""

INPUTS = ("runs/*", "qrels*", "*.tsv", "*.csv", "docs*", "docs/**/*", "corpus*", "documents*")


def digest(parts: Iterable[bytes]) -> str:
    """One short text for all these bytes."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.hexdigest()


def key_of(collection: Path, options: Mapping[str, Any]) -> str:
    """The same for the same content of the collection, options and program, wherever it lies."""
    parts = [json.dumps(options, sort_keys=True).encode()]
    return digest([*parts, *input_parts(collection), *program_parts()])


def input_parts(collection: Path) -> list[bytes]:
    """The names and contents of the files of a collection."""
    inputs = {file for pattern in INPUTS for file in collection.glob(pattern) if file.is_file()}
    return _contents(collection, inputs)


def program_parts(without: tuple[str, ...] = SKINS) -> list[bytes]:
    """The version, and the names and contents of the program's files, some rooms left out."""
    program = Path(leadline.__file__).parent
    sources = {
        file
        for ending in ("py", "json")
        for file in program.rglob(f"*.{ending}")
        if file.relative_to(program).parts[0] not in without
    }
    return [leadline.__version__.encode(), *_contents(program, sources)]


def _contents(root: Path, files: set[Path]) -> list[bytes]:
    parts = []
    for file in sorted(files):
        parts += [file.relative_to(root).as_posix().encode(), file.read_bytes()]
    return parts


class Cache:
    """The cells and files of one folder, forgotten if they were made from something else."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder, self.key = folder, key
        self.cells: dict[str, Any] = {}
        self.files: dict[str, str] = {}
        try:
            found = json.loads((folder / NAME).read_text(encoding="utf-8"))
            if found["key"] == key:
                self.cells, self.files = dict(found["cells"]), dict(found["files"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            # Nothing yet, or something that is no cache of ours: start anew.
            pass

    def keep(self, name: str, value: Any) -> None:
        """Remember what a cell gave."""
        self.cells[name] = value
        self._save()

    def whole(self) -> bool:
        """Whether all files were written and nobody changed them."""
        try:
            return bool(self.files) and all(
                digest([(self.folder / name).read_bytes()]) == known
                for name, known in self.files.items()
            )
        except (OSError, ValueError):
            # A file that is gone, or a name that no file can have.
            return False

    def write(self, texts: Mapping[str, str]) -> None:
        """Write the files, and remember them."""
        for name, text in texts.items():
            write_whole(self.folder / name, text)
        self.files = {name: digest([text.encode()]) for name, text in texts.items()}
        self._save()

    def _save(self) -> None:
        content = {"key": self.key, "files": self.files, "cells": self.cells}
        write_whole(self.folder / NAME, json.dumps(content, separators=(",", ":")))
