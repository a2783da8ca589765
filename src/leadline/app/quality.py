"""How each person judges: counts, hours, agreement, gold questions, speed and drift."""

import csv
import io
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from statistics import mean, median

import numpy as np
from scipy.special import bdtr

from leadline.app.exchange import plain_cell
from leadline.app.gold import GoldAnswer
from leadline.data.arrays import Int64s
from leadline.judging.ledger import Entry, Kind
from leadline.judging.merge import Vote, Votes, majority
from leadline.judging.project import Thresholds
from leadline.stats.agreement import Agreement, krippendorff

CHANCE = 0.05
"""A flag is raised if somebody just good enough would do as badly less often than this."""

LEAST = 5
"""Documents compared, before anything is said."""

RECENT = 20
"""Judgments that drift and speed look at; drift compares them with at least as many before."""


@dataclass(frozen=True)
class Quality:
    """One person: gold questions asked and right, documents compared and agreed on, speed, drift.

    `drift` is by how much the share of agreement of late is below the one before, None where there
    is too little. `flags` say what is below a threshold.
    """

    who: str
    gold: int
    right: int
    compared: int
    same: int
    seconds: float | None
    drift: float | None
    flags: tuple[str, ...]


def is_below(right: int, n: int, least: float) -> bool:
    """Whether so few of n would be seldom if the true share were the least one.

    >>> is_below(3, 10, 0.7), is_below(5, 10, 0.7), is_below(0, 4, 0.7)
    (True, False, False)
    """
    return n >= LEAST and right / n < least and float(bdtr(right, n, least)) < CHANCE


def reference(votes: Votes[int], pair: int, who: str) -> int | None:
    """What a person's grade is compared with: the organiser's, or what most other people gave."""
    if pair in votes.decided:
        return votes.decided[pair]
    said = votes.of(pair)
    if len(said) == 1 and who in said:
        return None
    others = [
        vote.grade
        for vote in said.values()
        if vote.who != who and vote.kind == "person" and vote.grade is not None
    ]
    return majority(others)


def quality(
    who: str,
    acts: Sequence[tuple[int, Entry]],
    votes: Votes[int],
    answers: Sequence[GoldAnswer],
    thresholds: Thresholds,
) -> Quality:
    """How one person does, from acts in force with their pairs and answers to gold questions."""
    agreed: list[tuple[str, bool]] = []
    for pair, act in acts:
        if act.act == "judge":
            wanted = reference(votes, pair, who)
            if wanted is not None:
                agreed.append((act.time, act.grade == wanted))
    # Training is for learning: it counts neither here nor in drift.
    gold = [answer for answer in answers if not answer.training and answer.said is not None]
    right = sum(answer.right for answer in gold)
    same = sum(each for _, each in agreed)
    course = sorted(agreed + [(answer.time, answer.right) for answer in gold])
    drift, drifts = _drift([each for _, each in course], thresholds.most_drift)
    timed = [
        a.seconds for _, a in acts if a.act in ("judge", "cannot tell") and a.seconds is not None
    ]
    pace = median(timed[-RECENT:]) if timed else None
    flags = []
    if is_below(right, len(gold), thresholds.least_gold):
        flags.append(f"{right} of {len(gold)} gold questions right")
    if is_below(same, len(agreed), thresholds.least_agreement):
        flags.append(f"agrees with others on {same} of {len(agreed)} documents")
    if pace is not None and len(timed) >= RECENT and pace < thresholds.least_seconds:
        flags.append(f"{pace:.1f} seconds a document of late")
    if drifts and drift is not None:
        flags.append(f"agreement fell by {drift:.0%} of late")
    return Quality(who, len(gold), right, len(agreed), same, pace, drift, tuple(flags))


def _drift(course: list[bool], most: float) -> tuple[float | None, bool]:
    """By how much agreement fell, and whether that is more than is allowed and than chance."""
    if len(course) < 2 * RECENT:
        return None, False
    before, late = course[:-RECENT], course[-RECENT:]
    usual = mean(before)
    drift = usual - mean(late)
    return drift, drift > most and float(bdtr(sum(late), RECENT, usual)) < CHANCE


LONGEST_PAUSE = 300.0
"""Seconds: longer between two judgments is a break, and no part of the pace."""


COUNTED = {
    "judge": "judged",
    "cannot tell": "cannot_tell",
    "skip": "skipped",
    "undo": "undone",
    "gold": "gold",
}
"""Acts, and what their counts are called."""


@dataclass(kw_only=True)
class Counts:
    """How many acts of each kind there were; others are not counted."""

    judged: int = 0
    cannot_tell: int = 0
    skipped: int = 0
    undone: int = 0
    gold: int = 0

    def count(self, act: str, sign: int = 1) -> None:
        """One act more, or less."""
        name = COUNTED.get(act)
        if name is not None:
            setattr(self, name, getattr(self, name) + sign)


@dataclass
class Tally(Counts):
    """Counts of one assessor's acts in force, and the times of the last ones."""

    who: str
    kind: Kind = "person"
    seconds: float = 0.0
    timed: int = 0
    times: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, entry: Entry) -> None:
        """One act more."""
        self._count(entry, 1)
        if entry.act in ("judge", "cannot tell"):
            self.add_time(entry.time)

    def add_time(self, time: str) -> None:
        """Count a judgment in the pace alone."""
        self.times.append(seconds_of(time))

    def take_back(self, entry: Entry) -> None:
        """An act was undone."""
        self._count(entry, -1)
        self.undone += 1

    def _count(self, entry: Entry, sign: int) -> None:
        self.count(entry.act, sign)
        if entry.seconds is not None and entry.act in ("judge", "cannot tell"):
            self.seconds += sign * entry.seconds
            self.timed += sign

    @property
    def per_hour(self) -> float | None:
        """The pace of the last judgments, breaks left out; None before the second one."""
        times = list(self.times)
        pauses = [b - a for a, b in pairwise(times)]
        work = [pause for pause in pauses if 0 < pause <= LONGEST_PAUSE]
        return 3600 * len(work) / sum(work) if work else None

    @property
    def mean_seconds(self) -> float | None:
        """Time spent on a document."""
        return self.seconds / self.timed if self.timed else None


def seconds_of(time: str) -> float:
    """Return a time as seconds since 1970, 0 if it is none."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return 0.0


@dataclass(frozen=True)
class AssessorAgreement:
    """Two assessors on the pairs that both have graded; rows of the confusion are the first's."""

    first: str
    second: str
    grades: tuple[int, ...]
    confusion: tuple[tuple[int, ...], ...]

    @cached_property
    def agreement(self) -> Agreement:
        """The confusion, counted."""
        return Agreement(np.array(self.confusion))

    @property
    def n(self) -> int:
        """Pairs that both have graded."""
        return self.agreement.n

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where there is no chance to disagree."""
        return self.agreement.kappa() if self.agreement.by_chance() > 0 else None

    @property
    def same(self) -> float:
        """The share of pairs with the same grade."""
        return self.agreement.observed()


Graded = Mapping[int, Mapping[str, int]]
"""Grades by pair and assessor."""


def graded(votes: Mapping[int, Mapping[str, Vote]], kinds: Sequence[str]) -> Graded:
    """Grades by pair and assessor, of assessors of these kinds; who could not tell is left out."""
    return {
        pair: {
            vote.who: vote.grade
            for vote in said.values()
            if vote.grade is not None and vote.kind in kinds
        }
        for pair, said in votes.items()
    }


def agreement_of_pairs(found: Graded, grades: tuple[int, ...]) -> list[AssessorAgreement]:
    """Every two assessors that have graded a pair in common, most pairs first."""
    place = {grade: at for at, grade in enumerate(grades)}
    tables: dict[tuple[str, str], Int64s] = {}
    for said in found.values():
        names = sorted(said)
        for at, first in enumerate(names):
            for second in names[at + 1 :]:
                if said[first] not in place or said[second] not in place:
                    continue
                table = tables.setdefault(
                    (first, second), np.zeros((len(grades), len(grades)), np.int64)
                )
                table[place[said[first]], place[said[second]]] += 1
    made = [
        AssessorAgreement(first, second, grades, tuple(map(tuple, table.tolist())))
        for (first, second), table in tables.items()
    ]
    return sorted(made, key=lambda each: (-each.n, each.first, each.second))


def krippendorff_alpha(found: Graded) -> float | None:
    """Agreement beyond chance of any number of assessors, for ordered grades; None if undefined."""
    units = [list(said.values()) for said in found.values() if len(said) > 1]
    values = sorted({grade for unit in units for grade in unit})
    if len(values) < 2:
        return None
    place = {grade: at for at, grade in enumerate(values)}
    counts = np.zeros((len(units), len(values)))
    for row, unit in enumerate(units):
        for grade in unit:
            counts[row, place[grade]] += 1
    weight = 1 / (counts.sum(axis=1) - 1)
    return krippendorff((counts.T * weight) @ counts - np.diag(weight @ counts))


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
class Day(Counts):
    """What one person did on one day, in UTC.

    `work` is seconds at work: from one act to the next, breaks longer than five minutes left out,
    and the time with the first document in view. `in_view` is seconds with a document in view.
    """

    who: str
    kind: str
    day: str
    work: float = 0.0
    in_view: float = 0.0
    last: float | None = None

    def add(self, act: str, time: str, seconds: float | None) -> None:
        """One act more, whether it was undone later or not."""
        self.count(act)
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
