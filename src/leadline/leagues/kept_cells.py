"""What was played before: a file with a line for every cell, written as soon as it is played."""

import json
from pathlib import Path
from typing import Any

NAME = "cells.jsonl"


class KeptCells:
    """Cells by their key, which tells the collection's content, the entrant's version and more.

    A key that nobody asks for any more stays: with an older version it is what history is made of.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / NAME
        self.cells: dict[str, Any] = {}
        if not self.file.is_file():
            return
        for line in self.file.read_bytes().splitlines():
            try:
                found = json.loads(line)
                if type(found["key"]) is str and _sound(found["value"]):
                    self.cells[found["key"]] = found["value"]
            except (ValueError, KeyError, TypeError, RecursionError):
                # The last line of a league that was killed while it wrote: played again.
                continue

    def keep(self, key: str, value: Any) -> None:
        """Remember what a cell gave."""
        self.cells[key] = value
        line = json.dumps({"key": key, "value": value}, separators=(",", ":"))
        try:
            with self.file.open("a", encoding="utf-8") as out:
                out.write(f"{line}\n")
        except OSError as error:
            # A full disk is told by the name of what it left no room for.
            error.filename = str(self.file)
            raise


def _sound(value: Any) -> bool:
    """Whether it is rows of numbers, or of reasons, as cells give."""
    return isinstance(value, list) and all(
        isinstance(row, dict)
        and all(_is_text(each) if name == "why" else _is_number(each) for name, each in row.items())
        for row in value
    )


def _is_number(each: Any) -> bool:
    return each is None or type(each) is float or (type(each) is int and abs(each) < 2**53)


def _is_text(each: Any) -> bool:
    halves = isinstance(each, str) and any("\ud800" <= letter <= "\udfff" for letter in each)
    return isinstance(each, str) and each.strip() != "" and not halves
