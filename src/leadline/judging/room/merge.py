"""From several people's judgments of a pair to one grade, by a named rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from leadline.judging.ledger import Entry, Kind
from leadline.judging.replay import in_force

Rule = Literal["majority", "latest", "adjudicated"]


@dataclass(frozen=True, slots=True)
class Vote:
    """What one assessor said of a pair; no grade if it was "cannot tell"."""

    who: str
    grade: int | None
    kind: Kind = "person"
    note: str = ""
    time: str = ""


def majority(grades: Sequence[int]) -> int | None:
    """The grade that most gave; of several given equally often, the lowest.

    >>> majority([2, 0, 2]), majority([1, 0])
    (2, 0)
    """
    counts = Counter(grades)
    most = max(counts.values(), default=0)
    return min((grade for grade, count in counts.items() if count == most), default=None)


def latest(grades: Sequence[int]) -> int | None:
    """The grade that was given last.

    >>> latest([2, 0, 1])
    1
    """
    return grades[-1] if grades else None


def unanimous(grades: Sequence[int]) -> int | None:
    """The grade that all gave; none while they differ, until an organiser adjudicates.

    >>> unanimous([1, 1]), unanimous([1, 0])
    (1, None)
    """
    return grades[0] if len(set(grades)) == 1 else None


RULES: dict[Rule, Callable[[Sequence[int]], int | None]] = {
    "majority": majority,
    "latest": latest,
    "adjudicated": unanimous,
}


def rule(name: str) -> Callable[[Sequence[int]], int | None]:
    """The rule of that name."""
    if name not in get_args(Rule):
        raise ValueError(f"merge must be one of {', '.join(get_args(Rule))}, not {name!r}")
    return RULES[name]  # type: ignore[index]


@dataclass(frozen=True)
class Merged:
    """One grade for a pair, and whose judgments it was made of."""

    topic: str
    doc: str
    grade: int
    votes: tuple[Vote, ...]
    adjudicated: bool = False


def merge(entries: list[Entry], name: str, machines: bool = False) -> list[Merged]:
    """One grade for each pair that has one by this rule; an adjudication overrules all.

    Judgments of machines count only if that is asked for.
    """
    settle = rule(name)
    votes: dict[tuple[str, str], dict[str, Vote]] = {}
    decided: dict[tuple[str, str], int] = {}
    for entry in in_force(entries):
        pair = entry.topic, entry.doc
        if entry.act == "adjudicate" and entry.grade is not None:
            decided[pair] = entry.grade
            votes.setdefault(pair, {})
        elif entry.act == "judge" and (machines or entry.kind == "person"):
            vote = Vote(entry.who, entry.grade, entry.kind, entry.note, entry.time)
            # Given anew, it is the latest.
            votes.setdefault(pair, {}).pop(entry.who, None)
            votes[pair][entry.who] = vote
    found = []
    for pair, given in votes.items():
        grade = decided.get(pair)
        if grade is None:
            grade = settle([vote.grade for vote in given.values() if vote.grade is not None])
        if grade is not None:
            found.append(Merged(*pair, grade, tuple(given.values()), pair in decided))
    return found
