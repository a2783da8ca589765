"""What a command wrote, as a table: columns, and rows of text."""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from dataclasses import dataclass

from scripts.frozen.pages import leaves, page_rows

LABELS = frozenset(
    """a about adjuster b unjudged_as code column common corrector depth doc established estimator
    estimator_a estimator_b evaluation_p file group interval judged_on judged_with kind level line
    measure method name newcomers order p_a p_b panel part percent percents place pool rank rate
    repeat run run_a run_b scored_on sizes statistic step stop stratification table test text theta
    topic treatment width word""".split()  # noqa: SIM905
)
"""Columns that say what a row is about; all others hold what was found."""

_DEMO = "/leadline/demo/collection"
DIGITS = 6
"""Significant ones in a digest: another processor may round the sixteenth differently."""


@dataclass(frozen=True)
class Table:
    """Rows under their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def by_label(self, labels: frozenset[str]) -> dict[tuple[str, ...], dict[str, str]]:
        """Rows by what they are about; where several are about the same, also by their number."""
        places = [at for at, name in enumerate(self.columns) if name in labels]
        count: Counter[tuple[str, ...]] = Counter()
        found = {}
        for row in self.rows:
            label = tuple(row[at] for at in places)
            count[label] += 1
            found[(*label, f"no. {count[label]}")] = dict(zip(self.columns, row, strict=True))
        return found

    def digest(self, columns: tuple[str, ...]) -> str:
        """SHA-256 of these columns' rows, numbers rounded; a column that is not there is named."""
        places = [self.columns.index(name) for name in columns if name in self.columns]
        gone = [name for name in columns if name not in self.columns]
        text = [repr(gone), *(repr([rounded(row[at]) for at in places]) for row in self.rows)]
        return hashlib.sha256("\n".join(text).encode()).hexdigest()


def number(cell: str) -> float | None:
    """The number in a cell, if it is one.

    >>> number("1e-3"), number("a"), number("")
    (0.001, None, None)
    """
    try:
        return float(cell)
    except ValueError:
        return None


def rounded(cell: str) -> str:
    """The cell, if it is a number to a few digits.

    >>> rounded("0.30000000000000004") == rounded("0.3"), rounded("abc")
    (True, 'abc')
    """
    value = number(cell)
    # Adding zero: what is rounded to nothing has no sign.
    return cell if value is None else f"{float(f'{value:.{DIGITS}g}') + 0.0:.{DIGITS}g}"


def read(suffix: str, text: str) -> Table:
    """The table in a file of this kind."""
    text = _anywhere(text)
    if suffix == ".csv":
        rows = [tuple(row) for row in csv.reader(io.StringIO(text))]
        return Table(rows[0], tuple(rows[1:])) if rows else Table((), ())
    if suffix == ".html":
        return Table(("part", "place", "value"), tuple(page_rows(text)))
    if suffix == ".json":
        return Table(("place", "value"), tuple(leaves(json.loads(text or "null"))))
    # A line is about itself, so that one more does not make all that follow differ.
    return Table(("text",), tuple((line.rstrip(),) for line in text.splitlines()))


def _anywhere(text: str) -> str:
    """Without what tells this machine and its versions from others."""
    before, *rest = text.split(_DEMO)
    for part in rest:
        begin = max(before.rfind(mark) for mark in " \n'\"=>")
        before = f"{before[: begin + 1]}DEMO{part}"
    return re.sub(r"\b(leadline|Python|numpy|scipy|polars) \d+(\.\d+)+", r"\1", before)
