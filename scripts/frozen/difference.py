"""How two tables differ, in words."""

from collections import Counter
from dataclasses import dataclass, field

from scripts.frozen.tables import LABELS, Table, number

LAST_DIGITS = 1e-12
"""A difference up to this, of numbers around 1, is one of rounding."""


@dataclass
class Difference:
    """What is not the same."""

    notes: list[str] = field(default_factory=list)
    cells: Counter[str] = field(default_factory=Counter)
    largest: dict[str, float] = field(default_factory=dict)
    """By column; infinite where one of the two is no number."""
    n_cells: int = 0
    added: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether everything that was there is there, the same in every digit."""
        return not self.cells and not self.notes

    @property
    def rounding(self) -> bool:
        """Whether it differs, but in the last digits only."""
        small = all(value <= LAST_DIGITS for value in self.largest.values())
        return bool(self.cells) and small and not self.notes

    def words(self) -> str:
        """One line."""
        said = list(self.notes)
        if self.cells:
            columns = ", ".join(self._column(name, n) for name, n in self.cells.items())
            said.append(f"{sum(self.cells.values())} of {self.n_cells} cells differ: {columns}")
        return "; ".join((said or ["equal"]) + self.added)

    def _column(self, name: str, n: int) -> str:
        largest = self.largest[name]
        return f"{name} {n}" + ("" if largest == float("inf") else f" (by up to {largest:.2g})")


def differ(old: Table, new: Table) -> Difference:
    """What of the old table is not in the new one; columns and rows that are new beside it."""
    found = Difference()
    gone = [name for name in old.columns if name not in new.columns]
    fresh = [name for name in new.columns if name not in old.columns]
    if gone:
        found.notes.append(f"missing columns {', '.join(gone)}")
    if fresh:
        found.added.append(f"new columns {', '.join(fresh)}")
    labels = LABELS & set(old.columns) & set(new.columns)
    before, after = old.by_label(labels), new.by_label(labels)
    missing = [label for label in before if label not in after]
    extra = [label for label in after if label not in before]
    if missing:
        found.notes.append(f"{len(missing)} of {len(before)} rows missing, first {missing[0]}")
    if extra:
        found.notes.append(f"{len(extra)} new rows, first {extra[0]}")
    both = [label for label in before if label in after]
    if both != [label for label in after if label in before]:
        found.notes.append("rows in another order")
    for label in both:
        _compare_cells(before[label], after[label], found)
    return found


def _compare_cells(old: dict[str, str], new: dict[str, str], found: Difference) -> None:
    for column in old.keys() & new.keys():
        found.n_cells += 1
        if old[column] == new[column]:
            continue
        a, b = number(old[column]), number(new[column])
        apart = float("inf") if a is None or b is None else abs(a - b)
        # Two numbers that are not a number are the same, and so are 1 and 1.0.
        if apart == 0 or (a is not None and b is not None and a != a and b != b):
            continue
        found.cells[column] += 1
        found.largest[column] = max(found.largest.get(column, 0.0), apart)
