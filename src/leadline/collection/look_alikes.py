"""Documents whose names look the same and are not: an accent of its own, or one letter with it."""

from unicodedata import normalize

import numpy as np

from leadline.files.problems import Notices
from leadline.formats.rows import Rows, doc_keys
from leadline.tables.arrays import Int64s
from leadline.tables.names import Names

_COMBINING = (0xCC, 0xCD)
"""First bytes of accents that stand by themselves, U+0300 to U+036F, in UTF-8."""


def with_accents(names: Names) -> Int64s:
    """Positions of names that hold an accent by itself, as Unicode's form NFD has them.

    >>> with_accents(Names.of(["cafe", "caf\u00e9", "cafe\u0301"])).tolist()
    [2]
    """
    if not len(names) or names.text.max() < _COMBINING[0]:
        return np.zeros(0, np.int64)
    at = np.flatnonzero((names.text == _COMBINING[0]) | (names.text == _COMBINING[1]))
    before = np.searchsorted(at, names.start)
    held = np.searchsorted(at, names.start + names.length) > before
    return np.flatnonzero(held)


class LookAlikes:
    """Names of documents in runs that look like a judged one, or like another of the same run.

    Nothing is done about them, because collections may hold both; but whoever wrote a run on one
    system and judgments on another wants to know.
    """

    def __init__(self, judged: Names | None) -> None:
        self.judged = Names.of([]) if judged is None else judged
        apart = set(self.judged.gather(with_accents(self.judged)).to_list())
        self.composed = {normalize("NFC", name): name for name in sorted(apart)}
        self.seen: dict[str, dict[str, str]] = {}

    def look(self, runs: list[str], rows: Rows) -> None:
        """Note those of some runs."""
        accents = with_accents(rows.doc)
        if not len(accents) and not self.composed:
            return
        apart = dict.fromkeys(rows.doc.gather(accents).to_list())
        wanted = {normalize("NFC", name): name for name in apart}
        judged = _places(wanted, self.judged)
        both = {apart: name for name, apart in wanted.items() if name in judged}
        for row, name in zip(accents.tolist(), rows.doc.gather(accents).to_list(), strict=True):
            if name in both:
                self._note(runs, rows, row, both[name], name)
        for name, places in _places(self.composed | wanted, rows.doc).items():
            self._note(runs, rows, places[0], name, (self.composed | wanted)[name])

    def _note(self, runs: list[str], rows: Rows, row: int, composed: str, apart: str) -> None:
        if composed != apart:
            run = runs[int(rows.run_of(np.array([row]))[0])]
            self.seen.setdefault(run, {})[composed] = apart

    def forget_judged(self) -> None:
        """Keep only what was seen, when no more runs are looked at."""
        self.judged, self.composed = Names.of([]), {}

    def report(self, notices: Notices) -> None:
        """Say which were found where."""
        for run, found in self.seen.items():
            name = min(found)
            message = (
                f"{len(found)} documents have names that look like others and are not: {name} is "
                f"{name!a} and {found[name]!a}. Write both in one form of Unicode, NFC"
            )
            notices.add(run, "warning", "look-alike", message)


def _places(wanted: dict[str, str], names: Names) -> dict[str, list[int]]:
    """Where each of these stands among the names, byte by byte; those that do not are left out."""
    if not wanted or not len(names):
        return {}
    # By sorting: numpy 2.0 cannot count keys as large as these in a table.
    of_wanted = doc_keys(Names.of(list(wanted)))
    at = np.flatnonzero(np.isin(doc_keys(names), of_wanted, kind="sort"))
    places: dict[str, list[int]] = {}
    for place, name in zip(at.tolist(), names.gather(at).to_list(), strict=True):
        if name in wanted:
            places.setdefault(name, []).append(place)
    return places
