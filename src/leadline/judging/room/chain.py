"""Rows chained by hash: none can be changed, removed or inserted unnoticed."""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CHAINED = {
    "entry": (
        *("act", "topic", "doc", "grade", "who", "kind", "time", "seconds", "note", "asked"),
        *("model", "prompt", "confidence", "batch"),
    ),
    "gold_answer": (
        *("act", "topic", "doc", "who", "said", "grade", "training", "time", "seconds", "note"),
        "after",
    ),
    "deed": ("time", "who", "act", "about"),
}
"""The tables whose rows are chained, and the columns that are hashed."""

REAL = ("seconds", "confidence")
START = ""


def link(before: str, row: Mapping[str, Any], table: str = "entry") -> str:
    """Return the hash of a row: of its values as a database gives them back, and of `before`.

    >>> row = dict.fromkeys(CHAINED["entry"])
    >>> link("", {**row, "seconds": 5}) == link("", {**row, "seconds": 5.0})
    True
    """
    return _hash(before, [_stored(name, row[name]) for name in CHAINED[table]])


def _hash(before: str, values: list[Any]) -> str:
    return hashlib.sha256(f"{before}\n{json.dumps(values)}".encode()).hexdigest()


def _stored(name: str, value: Any) -> Any:
    """A value as its column gives it back: SQLite knows neither whole seconds nor -0.0."""
    real = name in REAL and isinstance(value, int | float)
    return float(value) + 0.0 if real else value


def _former_links(before: str, row: Mapping[str, Any], table: str) -> Iterator[str]:
    """Hashes that say the same with numbers as they were imported: 5 or -0.0 for 5.0 or 0.0."""
    spelt: list[list[Any]] = []
    for name in CHAINED[table]:
        value = _stored(name, row[name])
        spelt.append([value])
        if name in REAL and isinstance(value, float) and value.is_integer():
            spelt[-1] += [int(value)] if value else [0, -0.0]
    for values in itertools.product(*spelt):
        yield _hash(before, list(values))


@dataclass(frozen=True)
class Checked:
    """The result of a walk along a chain: rows, its end, and the id of the first wrong row.

    `former` rows were hashed before numbers were normalised; they say what they said.
    """

    table: str
    rows: int
    end: str
    wrong: int | None = None
    former: int = 0

    def require(self, where: str) -> None:
        """Raise a ValueError if a row is wrong."""
        if self.wrong is not None:
            raise ValueError(
                f"{where}: {self.table} {self.wrong:,} is not as it was written, or the one "
                "before it. See leadline judge FOLDER --check and --repair"
            )


class Walk:
    """A walk along a chain, row by row in the order of their ids."""

    def __init__(self, table: str = "entry", end: str = START) -> None:
        self.table, self.end = table, end
        self.rows = self.former = 0
        self.wrong: int | None = None

    def step(self, row: Mapping[str, Any]) -> None:
        """Take the next row, which has `id` and `hash`."""
        self.rows += 1
        if self.wrong is not None:
            return
        if row["hash"] != link(self.end, row, self.table):
            if row["hash"] not in _former_links(self.end, row, self.table):
                self.wrong = int(row["id"])
                return
            self.former += 1
        self.end = row["hash"]

    @property
    def checked(self) -> Checked:
        """What was found so far."""
        return Checked(self.table, self.rows, self.end, self.wrong, self.former)


def check(rows: Iterable[Mapping[str, Any]], table: str = "entry") -> Checked:
    """Walk along all rows of a table."""
    walk = Walk(table)
    for row in rows:
        walk.step(row)
    return walk.checked
