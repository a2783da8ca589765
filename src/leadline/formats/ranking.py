"""The order of a list, settled once, by one named rule.

`score`: score descending, compared as 32-bit floats; equal scores by docno descending, byte by
byte: as trec_eval up to version 9 and everything built on it. `score64`: the same with 64-bit
floats, as trec_eval 10. `listed`: the order of the file. The rank column is never looked at.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from leadline.files.problems import Notices
from leadline.formats.rows import Rows, has_equals
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.names import Names

Array = TypeVar("Array", bound=np.ndarray[Any, Any])
Ranks = Literal["score", "score64", "listed"]


Floats32 = npt.NDArray[np.float32]
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows in rank order, list after list: list i stands at start[i] to stop[i].

    `row` is the order of the rows, None where the file's own order is right but for ties; the row
    at position `tied[j]` is then `settled[j]`. `n_ties` counts neighbours with equal scores,
    `made` are rows whose score equals the next one's only as a 32-bit float.
    """

    start: Int64s
    stop: Int64s
    row: Int64s | None = None
    tied: Int64s = field(default_factory=lambda: _NONE)
    settled: Int64s = field(default_factory=lambda: _NONE)
    n_ties: int = 0
    made: Int64s = field(default_factory=lambda: _NONE)

    def first_row(self) -> Int64s:
        """A row of each list, whichever, to tell its topic by."""
        return self.start if self.row is None else self.row[self.start]

    def arrange(self, array: Array) -> Array:
        """A column of the run's rows in rank order."""
        arranged: Any = array if self.row is None else array[self.row]
        if len(self.tied):
            # From the rows, not in place: they are permuted among themselves.
            arranged = arranged.copy() if self.row is None else arranged
            arranged[self.tied] = array[self.settled]
        return cast(Array, arranged)


def rank(rows: Rows, ranks: Ranks = "score") -> Ranking:
    """The lists of the runs."""
    key, start = rows.list_number, rows.starts
    row = None
    if has_equals(key):
        distinct, first = np.unique(key, return_index=True)
        # A topic's lines are scattered: number topics by first appearance and bring them together.
        number = np.argsort(np.argsort(first))
        stretch = number[np.searchsorted(distinct, key)]
        topic = np.repeat(stretch, np.diff(np.append(start, len(rows))))
        row = np.argsort(topic, kind="stable")
        start = np.searchsorted(topic[row], np.arange(len(distinct)))
    stop = np.append(start, len(rows))[1:]
    if ranks == "listed":
        return Ranking(start, stop, row)
    compared: Floats32 | Floats = rows.run_score
    if ranks == "score":
        with np.errstate(over="ignore"):
            compared = rows.run_score.astype(np.float32)
    return _by_score(rows.doc, rows.run_score, compared, row, (start, stop))


def _by_score(
    doc: Names,
    score: Floats,
    compared: Floats32 | Floats,
    row: Int64s | None,
    lists: tuple[Int64s, Int64s],
) -> Ranking:
    """Rows by falling score within each list, ties by falling docno."""
    start = lists[0]
    ordered = compared if row is None else compared[row]
    rises = ordered[1:] > ordered[:-1]
    # Between the last row of a list and the first of the next nothing is compared.
    border = start[1:] - 1
    rises[border] = False
    if rises.any():
        number = np.zeros(len(score), np.int64)
        number[start[1:]] = 1
        order = np.lexsort((-ordered, np.cumsum(number)))
        row = order if row is None else row[order]
        ordered = compared[row]
    equal = ordered[1:] == ordered[:-1]
    equal[border] = False
    upper = np.flatnonzero(equal)
    if not len(upper):
        return Ranking(*lists, row)
    is_tied = np.zeros(len(score), np.bool_)
    is_tied[upper] = is_tied[upper + 1] = True
    tied = np.flatnonzero(is_tied)
    rows = tied if row is None else row[tied]
    stretch = np.cumsum((tied == 0) | ~equal[tied - 1])
    settled = rows[doc.gather(rows).falling(stretch)]
    above, below = (upper, upper + 1) if row is None else (row[upper], row[upper + 1])
    made = above[score[above] != score[below]]
    return Ranking(*lists, row, tied, settled, len(upper), made)


def say_float32_ties(n_ties: dict[str, int], notices: Notices) -> None:
    """Note, once for all runs, how many ties only 32-bit floats made."""
    if not n_ties:
        return
    runs = ", ".join([*list(n_ties)[:3], *(["..."] if len(n_ties) > 3 else [])])
    where = "" if len(n_ties) == 1 else f" of {len(n_ties)} runs ({runs})"
    message = (
        f"{sum(n_ties.values()):,} neighbours{where} have scores that are equal as 32-bit floats "
        "only; they count as ties, ordered by docno descending, as in trec_eval 9. `ranks` score64 "
        "tells them apart, as trec_eval 10 does"
    )
    notices.add(runs if len(n_ties) == 1 else "", "notice", "made-ties", message)
