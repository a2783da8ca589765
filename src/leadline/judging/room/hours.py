"""Hours and counts by person and day, for whoever pays."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from leadline.judging.ledger import Entry
from leadline.judging.room.exchange import plain_cell
from leadline.judging.room.gold_question import GoldAnswer
from leadline.judging.room.tally import LONGEST_PAUSE

COLUMNS = (
    "who",
    "kind",
    "day",
    "judged",
    "cannot_tell",
    "skipped",
    "undone",
    "gold",
    "hours",
    "in_view",
)


@dataclass
class Day:
    """What one person did on one day, in UTC.

    `work` is seconds at work: from one act to the next, breaks longer than five minutes left out,
    and the time with the first document in view. `in_view` is seconds with a document in view.
    """

    who: str
    kind: str
    day: str
    judged: int = 0
    cannot_tell: int = 0
    skipped: int = 0
    undone: int = 0
    gold: int = 0
    work: float = 0.0
    in_view: float = 0.0
    last: float | None = None

    def add(self, act: str, time: str, seconds: float | None) -> None:
        """One act more, whether it was undone later or not."""
        counted = {"judge": "judged", "cannot tell": "cannot_tell", "skip": "skipped"}
        name = counted.get(act, "gold" if act == "gold" else "undone")
        setattr(self, name, getattr(self, name) + 1)
        now = datetime.fromisoformat(time).timestamp()
        pause = None if self.last is None else now - self.last
        shown = min(seconds or 0.0, LONGEST_PAUSE)
        self.work += pause if pause is not None and 0 <= pause <= LONGEST_PAUSE else shown
        self.in_view += seconds or 0.0
        self.last = now


def days(entries: Iterable[Entry], answers: Iterable[GoldAnswer]) -> list[Day]:
    """By person and day; what was imported has no time of its own and is left out."""
    acts = [
        (entry.time, entry.who, entry.kind, str(entry.act), entry.seconds)
        for entry in entries
        if entry.act in ("judge", "cannot tell", "skip", "undo") and entry.asked is not None
    ]
    acts += [(each.time, each.who, "person", "gold", each.seconds) for each in answers]
    found: dict[tuple[str, str], Day] = {}
    for time, who, kind, act, seconds in sorted(acts, key=lambda each: (each[0], each[1])):
        key = who, time[:10]
        found.setdefault(key, Day(who, kind, time[:10])).add(act, time, seconds)
    return sorted(found.values(), key=lambda day: (day.who, day.day))


def hours_csv(entries: Iterable[Entry], answers: Iterable[GoldAnswer]) -> str:
    """The same as csv, hours with two decimals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for day in days(entries, answers):
        counts = [day.judged, day.cannot_tell, day.skipped, day.undone, day.gold]
        spent = [f"{day.work / 3600:.2f}", f"{day.in_view / 3600:.2f}"]
        writer.writerow([plain_cell(day.who), day.kind, day.day, *counts, *spent])
    return out.getvalue()
