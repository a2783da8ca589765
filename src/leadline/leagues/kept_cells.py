"""What was played before: a file with a line for every cell, written as soon as it is played."""

import json
from math import isfinite
from pathlib import Path
from typing import Any, Self

from leadline.files.line_file import LineFile

NAME = "cells.jsonl"
WHOLE = ("budget", "draw")
"""Figures that are whole numbers."""


class KeptCells:
    """Cells by their key, which tells the collection's content, the entrant's version and more.

    A key that nobody asks for any more stays: with an older version it is what history is made of.
    One league at a time may hold the file.
    """

    def __init__(self, folder: Path) -> None:
        self.cells: dict[str, Any] = {}
        self._file = LineFile(folder / NAME, self._read)

    def _read(self, path: Path) -> int:
        content = path.read_bytes()
        # The last line of a league that was killed while it wrote is played again.
        whole = content.rfind(b"\n") + 1
        for line in content[:whole].splitlines():
            try:
                found = json.loads(line)
                if type(found["key"]) is str and _sound(found["value"]):
                    self.cells[found["key"]] = found["value"]
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
        return whole

    def keep(self, key: str, value: Any) -> None:
        """Remember what a cell gave."""
        self.cells[key] = value
        line = json.dumps({"key": key, "value": value}, separators=(",", ":"))
        self._file.append(f"{line}\n".encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self._file.close()


def _sound(value: Any) -> bool:
    """Whether it is rows of numbers, or of reasons, as cells give."""
    return isinstance(value, list) and all(
        isinstance(row, dict) and all(_fits(name, each) for name, each in row.items())
        for row in value
    )


def _fits(name: str, each: Any) -> bool:
    if name == "why":
        return _is_text(each)
    if type(each) is int:
        return abs(each) < 2**53
    return name not in WHOLE and (each is None or (type(each) is float and isfinite(each)))


def _is_text(each: Any) -> bool:
    halves = isinstance(each, str) and any("\ud800" <= letter <= "\udfff" for letter in each)
    return isinstance(each, str) and each.strip() != "" and not halves
