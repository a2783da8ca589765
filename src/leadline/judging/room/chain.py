"""Rows of the ledger chained by hash: none can be changed, taken out or put in unseen."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

CHAINED = (
    *("act", "topic", "doc", "grade", "who", "kind", "time", "seconds", "note", "asked"),
    *("model", "prompt", "confidence", "batch"),
)
START = ""


def link(before: str, row: Mapping[str, Any]) -> str:
    """The hash of a row: of what it says and of the hash before it."""
    said = json.dumps([row[name] for name in CHAINED])
    return hashlib.sha256(f"{before}\n{said}".encode()).hexdigest()


@dataclass(frozen=True)
class Checked:
    """What a walk along the chain found: how many rows, its end, and the first row that is wrong.

    `unchained` are rows from before there was a chain: the first link after them holds them.
    """

    rows: int
    end: str
    wrong: int | None = None
    unchained: int = 0


def check(rows: Iterable[Mapping[str, Any]]) -> Checked:
    """Walk along the rows, each with `id` and `hash`, in the order of their ids."""
    end, n, unchained = START, 0, 0
    for row in rows:
        n += 1
        expected = link(end, row)
        # Rows without a hash can only be the first ones.
        if row["hash"] is None and unchained == n - 1:
            unchained += 1
        elif row["hash"] != expected:
            return Checked(n, end, int(row["id"]), unchained)
        end = expected
    return Checked(n, end, None, unchained)
